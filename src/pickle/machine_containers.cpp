#include "pickle/machine.hpp"

#include <fmt/format.h>

namespace memviz::pickle {
namespace {

bool is_hashable(Kind kind) {
  return kind != Kind::list && kind != Kind::dict && !is_stand_in(kind);
}

} // namespace

Value Machine::container_below(std::size_t depth, Kind kind) const {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < floor + depth + 1) fail(std::string(value_name(kind)) + " on the pickle stack", "nothing");
  const Value container = stack_[stack_.size() - depth - 1];
  if (container.kind() != kind) {
    // The stack contains only stand-ins for lists.
    if (kind == Kind::list && is_stand_in(container.kind())) hooks_->refuse_change();
    fail(std::string(value_name(kind)) + " to add to", std::string(value_name(container.kind())));
  }
  return container;
}

/// Hooks may keep a list themselves.
Value Machine::list_below(std::size_t depth) const {
  const bool is_theirs =
      hooks_ != nullptr && stack_.size() > depth && stack_[stack_.size() - depth - 1].kind() == Kind::record_list;
  return container_below(depth, is_theirs ? Kind::record_list : Kind::list);
}

void Machine::append_to(Value list, std::span<const Value> items) {
  if (list.kind() == Kind::record_list)
    hooks_->append(list, items);
  else if (!document_.append(list, items))
    hooks_->refuse_change();
}

void Machine::fill(Value dict, std::span<const Value> items) {
  if (!document_.set_items(dict, items)) hooks_->refuse_change();
}

void Machine::check_items(std::span<const Value> items) const {
  if (items.size() % 2 != 0) fail("keys and values in pairs", fmt::format("{} of them", items.size()));
  for (std::size_t i = 0; i < items.size(); i += 2) {
    if (!is_hashable(items[i].kind())) fail("a key that Python can hash", std::string(value_name(items[i].kind())));
  }
}

void Machine::append_one() {
  const Value item = top();
  const Value list = list_below(popped(Opcode::append));
  append_to(list, std::span(&item, 1));
  stack_.pop_back();
}

void Machine::append_all() {
  const std::span<const Value> items = above_mark();
  const Value list = list_below(items.size());
  append_to(list, items);
  drop_to(items);
}

void Machine::set_one() {
  constexpr std::size_t kItems = popped(Opcode::setitem);
  const Value dict = container_below(kItems, Kind::dict);
  const std::span<const Value> items = std::span(stack_).last(kItems);
  check_items(items);
  fill(dict, items);
  drop_to(items);
}

void Machine::set_all() {
  const std::span<const Value> items = above_mark();
  const Value dict = container_below(items.size(), Kind::dict);
  check_items(items);
  fill(dict, items);
  drop_to(items);
  if (hooks_ != nullptr) hooks_->after_dict();
}

void Machine::make_sequence(std::span<const Value> items, Kind kind) {
  const Value sequence = document_.add_list(kind);
  document_.append(sequence, items);
  drop_to(items);
  push(sequence);
}

void Machine::make_dict() {
  const std::span<const Value> items = above_mark();
  check_items(items);
  const Value dict = document_.add_dict();
  document_.set_items(dict, items);
  drop_to(items);
  push(dict);
}

void Machine::make_tuple(std::size_t size) {
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < floor + size) fail(fmt::format("{} values on the pickle stack", size), "fewer");
  make_sequence(std::span(stack_).last(size), Kind::tuple);
}

} // namespace memviz::pickle
