#pragma once

// The allocations of a device, in order -> where forward and backward passes follow each other, and whether steps have
// both. The layers of one pass repeat as steps do, but none of them has both.

#include "analysis/tree/text_facts.hpp"
#include "memviz/events.hpp"
#include "memviz/frames.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

/// The last allocation of one pass and the first of the next, as indices of events.
struct PassChange {
  std::size_t before = 0;
  std::size_t after = 0;
  bool is_to_backward = false; ///< the next one is a backward pass
};

/// Caches its findings about stacks, which devices share.
class PassFinder {
public:
  /// `frames` must outlive this object.
  explicit PassFinder(const FrameTable& frames);

  /// Returns the changes between passes, at most a million.
  [[nodiscard]] std::vector<PassChange> changes_in(const EventTable& events);

private:
  [[nodiscard]] bool is_backward(StackId stack);

  const FrameTable& frames_;
  TextFacts<bool> names_;                 ///< whether a function is part of a backward pass
  std::vector<std::uint8_t> is_backward_; ///< by stack; the answer plus one, 0: not examined
  bool has_only_python_ = false;
};

/// Whether most of the steps that begin at `starts`, which ascend, have a forward and a backward pass. `place_of` maps
/// the index of an event to the unit of `starts`. The last step may be incomplete.
template <class Start, class PlaceOf>
[[nodiscard]] bool have_both_passes(std::span<const Start> starts, std::span<const PassChange> changes,
                                    PlaceOf place_of) {
  constexpr std::size_t kFewest = 2;
  const auto step_of = [&](std::size_t event) { // from 1 on; 0: before the first
    return static_cast<std::size_t>(std::ranges::upper_bound(starts, place_of(event)) - starts.begin());
  };
  std::size_t count = 0;
  std::size_t last = 0;
  for (const PassChange& change : changes) {
    const std::size_t step = step_of(change.before);
    if (step <= last || step != step_of(change.after)) continue;
    ++count;
    last = step;
  }
  return count >= kFewest && 2 * count + 1 >= starts.size();
}

} // namespace memviz
