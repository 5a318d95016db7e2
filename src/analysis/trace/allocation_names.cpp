#include "analysis/trace/allocation_names.hpp"

namespace memviz {

namespace {

enum class Part : std::uint8_t { none, begin, mention, request, end };

struct Meaning {
  Part part;
  bool is_segment;
};

Meaning meaning_of(Action action) {
  switch (action) {
  case Action::alloc: return {Part::begin, false};
  case Action::free_requested: return {Part::request, false};
  case Action::free_completed: return {Part::end, false};
  case Action::annotate: return {Part::mention, false};
  case Action::segment_alloc:
  case Action::segment_map: return {Part::begin, true};
  case Action::segment_free:
  case Action::segment_unmap: return {Part::end, true};
  case Action::snapshot:
  case Action::oom:
  case Action::other: break;
  }
  return {Part::none, false};
}

} // namespace

void AllocationNames::Address::end() {
  ++uses;
  began.reset();
  was_freed.reset();
}

std::optional<AllocationLife> AllocationNames::take(std::uint64_t index, const Event& event) {
  const Meaning meaning = meaning_of(event.action);
  if (meaning.part == Part::none) return std::nullopt;
  Address& address = (meaning.is_segment ? segments_ : blocks_)[event.address];
  const EventPoint here{index, event.time_us};
  // An alloc at a live address: the free in between is not in the trace.
  if (meaning.part == Part::begin && address.began) address.end();

  AllocationLife life{meaning.is_segment, event.address, address.uses, {}, {}};
  switch (meaning.part) {
  case Part::begin: address.began = here; break;
  case Part::mention: life.began = address.began; break;
  case Part::request:
    life.began = address.began;
    address.was_freed = here;
    break;
  case Part::end:
    life.began = address.began;
    life.was_freed = address.was_freed;
    address.end();
    break;
  case Part::none: break;
  }
  return life;
}

} // namespace memviz
