#include "memviz/events.hpp"

#include <array>
#include <utility>

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
  action_texts_.push(event.action == Action::other ? event.action_text : kEmptyString);
  addresses_.push_back(event.address);
  sizes_.push_back(event.size_bytes);
  streams_.push(event.stream);
  times_.push(event.time_us.value_or(0));
  has_time_.push(event.time_us ? 1 : 0);
  stacks_.push_back(event.stack);
  compile_contexts_.push(event.compile_context);
  user_metadata_.push(event.user_metadata);
  pools_.push(event.pool);
  forward_stacks_.push(event.forward_stack);
  internal_metadata_.push(event.internal_metadata);
}

Event EventTable::operator[](std::size_t index) const {
  const auto time_us = has_time_[index] != 0 ? std::optional(times_[index]) : std::nullopt;
  return {actions_[index], action_texts_[index],     addresses_[index],
          sizes_[index],   streams_[index],          time_us,
          stacks_[index],  compile_contexts_[index], user_metadata_[index],
          pools_[index],   forward_stacks_[index],   internal_metadata_[index]};
}

} // namespace memviz
