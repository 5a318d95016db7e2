#include "memviz/events.hpp"

#include <array>

namespace memviz {
namespace {

// In the order of Action.
constexpr std::array<std::string_view, 11> kActionNames{"alloc",         "free_requested", "free_completed",
                                                        "segment_alloc", "segment_free",   "segment_map",
                                                        "segment_unmap", "snapshot",       "oom",
                                                        "annotate",      "other"};

} // namespace

std::string_view action_name(Action action) {
  return kActionNames[static_cast<std::size_t>(action)];
}

Action action_of(std::string_view text) {
  for (std::size_t i = 0; i + 1 < kActionNames.size(); ++i) {
    if (kActionNames[i] == text) return static_cast<Action>(i);
  }
  return Action::other;
}

void EventTable::push(const Event& event) {
  actions_.push_back(event.action);
  action_texts_.push_back(event.action == Action::other ? event.action_text : kEmptyString);
  addresses_.push_back(event.address);
  sizes_.push_back(event.size_bytes);
  streams_.push_back(event.stream);
  times_.push_back(event.time_us.value_or(0));
  has_time_.push_back(event.time_us ? 1 : 0);
  stacks_.push_back(event.stack);
  compile_contexts_.push_back(event.compile_context);
  user_metadata_.push_back(event.user_metadata);
  const PoolId pool = event.pool.value_or(PoolId{});
  first_pool_ids_.push_back(pool.first);
  second_pool_ids_.push_back(pool.second);
  has_pool_.push_back(event.pool ? 1 : 0);
  forward_stacks_.push_back(event.forward_stack);
  internal_metadata_.push_back(event.internal_metadata);
}

Event EventTable::operator[](std::size_t index) const {
  Event event;
  event.action = actions_[index];
  event.action_text = action_texts_[index];
  event.address = addresses_[index];
  event.size_bytes = sizes_[index];
  event.stream = streams_[index];
  if (has_time_[index] != 0) event.time_us = times_[index];
  event.stack = stacks_[index];
  event.compile_context = compile_contexts_[index];
  event.user_metadata = user_metadata_[index];
  if (has_pool_[index] != 0) event.pool = PoolId{first_pool_ids_[index], second_pool_ids_[index]};
  event.forward_stack = forward_stacks_[index];
  event.internal_metadata = internal_metadata_[index];
  return event;
}

} // namespace memviz
