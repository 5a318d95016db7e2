#pragma once

// A recording that a test holds -> its states. Most refer to it, so it must outlive them.

#include "analysis/replay/births.hpp"
#include "memviz/kinds.hpp"
#include "memviz/replay.hpp"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace memviz::test {

/// Not owned, so that a test can look at a recording that it continues to change.
[[nodiscard]] inline std::shared_ptr<const Recording> borrowed(const Recording& recording) {
  return {std::shared_ptr<const Recording>(), &recording};
}

[[nodiscard]] inline MemoryState end_of(const Recording& recording) {
  return replay(borrowed(recording));
}

[[nodiscard]] inline MemoryState state_at(const Recording& recording, const MomentChoice& choice) {
  return rewind(borrowed(recording), choice);
}

/// Returns the state with the births of its blocks.
[[nodiscard]] inline MemoryState with_births(MemoryState state) {
  BirthFinder finder(state);
  take_events(*state.recording, finder);
  finder.finish();
  return state;
}

/// Returns a state that owns its recording, with the kinds of memory.
[[nodiscard]] inline MemoryState state_with_kinds(Recording recording, MomentKind moment) {
  KindWatch watch;
  MemoryState state = rewind(std::make_shared<const Recording>(std::move(recording)), {.kind = moment}, &watch);
  add_kinds(state, watch);
  return state;
}

/// Gives the first blocks of `state` these kinds, in their order.
inline void set_kinds(MemoryState& state, const std::vector<KindOf>& kinds) {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    state.facts[i].kind = kinds[i];
  state.has_kinds = true;
}

} // namespace memviz::test
