#include "frame_lists.hpp"

#include <cassert>

namespace memviz::bench {

FrameLists::FrameLists(Shape shape, const Program& program, Pickler& pickler)
    : shape_(shape), program_(program), pickler_(pickler), lists_of_stack_(program.stacks.size()),
      frames_(program.frames.size()), stacks_(program.stacks.size()), recent_(kRecent) {
}

void FrameLists::count(const Event& event) {
  const auto list = list_of(event);
  if (!list) return;
  std::uint64_t& lists = lists_of_stack_[list->stack];
  if (shape_ == Shape::shared)
    lists = 1;
  else if (list->born == event.number)
    ++lists;
}

void FrameLists::end_counting() {
  std::vector<std::uint64_t> uses(program_.frames.size());
  for (std::size_t stack = 0; stack < program_.stacks.size(); ++stack)
    for (const std::uint32_t frame : program_.stacks[stack])
      uses[frame] += lists_of_stack_[stack];
  for (const std::uint64_t count : uses)
    is_frame_shared_.push_back(count > 1);
}

std::optional<List> FrameLists::list_of(const Event& event) const {
  const bool is_free = event.action == Action::free_requested || event.action == Action::free_completed;
  if (shape_ != Shape::alloc || !is_free) return event.own;
  if (!event.allocation.exists) return std::nullopt;
  return event.allocation;
}

void FrameLists::write_kept(const List& list) {
  if (!list.exists) {
    if (pickler_.again(empty_)) return;
    pickler_.open_list(0, &empty_);
    pickler_.close();
    return;
  }
  Shared& place = shape_ == Shape::shared ? stacks_[list.stack] : kept_[list.born];
  place = write_list(place, list.stack);
}

void FrameLists::write(const Event& event, const List& list) {
  if (shape_ == Shape::shared) {
    stacks_[list.stack] = write_list(stacks_[list.stack], list.stack);
    return;
  }
  if (list.born != event.own.born) {
    // The list of an allocation, however long ago that was.
    [[maybe_unused]] const bool is_written = pickler_.again(allocations_[event.slot]);
    assert(is_written);
    return;
  }
  Recent& recent = recent_[list.born % kRecent];
  const bool is_new = list.born == event.number;
  assert(is_new || recent.born == list.born);
  if (is_new) {
    const auto kept = kept_.find(list.born);
    recent = {list.born, kept == kept_.end() ? Shared{} : kept->second};
  }
  recent.place = write_list(recent.place, list.stack);
  if (event.action != Action::alloc) return;
  if (event.slot >= allocations_.size()) allocations_.resize(event.slot + std::size_t{1});
  allocations_[event.slot] = recent.place;
}

Shared FrameLists::write_list(Shared place, std::uint32_t stack) {
  if (pickler_.again(place)) return place;
  const auto& frames = program_.stacks[stack];
  pickler_.open_list(frames.size(), &place);
  for (const std::uint32_t number : frames) {
    if (pickler_.again(frames_[number])) continue;
    const Frame& frame = program_.frames[number];
    pickler_.open_dict(3, is_frame_shared_[number] ? &frames_[number] : nullptr);
    pickler_.text(name_);
    pickler_.new_text(frame.name);
    pickler_.text(filename_);
    pickler_.new_text(frame.filename);
    pickler_.text(line_);
    pickler_.integer(frame.line);
    pickler_.close();
  }
  pickler_.close();
  return place;
}

} // namespace memviz::bench
