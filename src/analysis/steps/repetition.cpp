#include "analysis/steps/repetition.hpp"

#include "memviz/leaks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace memviz {

namespace {

/// The places at which one kind of allocation occurs.
using Places = std::vector<std::uint64_t>;

/// Kinds that occur equally often and evenly: a way to divide the trace into turns.
struct Turns {
  std::uint64_t kinds = 0;
  const Places* earliest = nullptr; ///< the places of the kind that begins first
};
using TurnsByCount = std::map<std::size_t, Turns>;

TurnsByCount turns_of(const std::map<AllocationKind, Places>& places_of, std::uint64_t events) {
  TurnsByCount all;
  for (const auto& [kind, places] : places_of) {
    if (!is_even(places, events)) continue;
    Turns& turns = all[places.size()];
    ++turns.kinds;
    if (turns.earliest == nullptr || places.front() < turns.earliest->front()) turns.earliest = &places;
  }
  return all;
}

bool has_both_passes(const Turns& turns, std::span<const PassChange> changes) {
  return have_both_passes(std::span(*turns.earliest), changes, [](std::size_t event) { return event; });
}

/// Finds the smallest number of turns that enough of the kinds agree on: a layer that runs many times per turn has
/// more, and is itself repeated within the turn. If that leaves few turns, more of them are tried. Among the 16
/// smallest, turns with both passes come first.
Repetition best_of(const TurnsByCount& all, std::span<const PassChange> changes) {
  constexpr std::size_t kEnoughTurns = 5;
  constexpr std::uint64_t kFairShare = 5; // one in five
  constexpr std::size_t kMostTries = 16;
  std::uint64_t most = 0;
  for (const auto& [count, turns] : all)
    most = std::max(most, turns.kinds);
  std::size_t tries = 0;
  Repetition best;
  int best_rank = 0;
  for (const auto& [count, turns] : all) {
    if (kFairShare * turns.kinds < most) continue;
    const bool has_both = tries++ < kMostTries && has_both_passes(turns, changes);
    const int rank = 1 + (count >= kEnoughTurns ? 1 : 0) + (has_both ? 2 : 0);
    if (rank <= best_rank) continue;
    best = {*turns.earliest, turns.kinds, has_both};
    best_rank = rank;
  }
  return best;
}

} // namespace

bool is_even(const std::vector<std::uint64_t>& places, std::uint64_t events) {
  constexpr double kMostVariation = 0.3;
  if (places.size() < kFewestSteps || 2 * (places.back() - places.front()) < events) return false;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < places.size(); ++i)
    gaps.push_back(static_cast<double>(places[i] - places[i - 1]));
  // The first and the last turn may be incomplete or a warm-up.
  if (gaps.size() > 3) gaps = std::vector<double>(gaps.begin() + 1, gaps.end() - 1);
  double sum = 0;
  for (const double gap : gaps)
    sum += gap;
  const double mean = sum / static_cast<double>(gaps.size());
  double squares = 0;
  for (const double gap : gaps)
    squares += (gap - mean) * (gap - mean);
  return std::sqrt(squares / static_cast<double>(gaps.size())) <= kMostVariation * mean;
}

AllocationKind allocation_kind(const FrameTable& frames, StackId stack, std::uint64_t size_bytes) {
  if (!frames.stack(stack).empty()) return {stack, 0};
  return {kNoFrames, size_bytes};
}

Repetition find_repetition(const FrameTable& frames, const EventTable& events, std::span<const PassChange> changes) {
  std::map<AllocationKind, Places> places_of;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.action(i) == Action::alloc)
      places_of[allocation_kind(frames, events.stack(i), events.size_bytes(i))].push_back(i);
  }
  return best_of(turns_of(places_of, events.size()), changes);
}

} // namespace memviz
