#include "analysis/leaks/repetition.hpp"

#include "memviz/leaks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

namespace memviz {

namespace {

/// Where one kind of allocation occurs.
using Places = std::vector<std::uint64_t>;

/// How many kinds occur how often, evenly.
using Votes = std::map<std::size_t, std::uint64_t>;

/// The fewest turns that a fair share of the kinds agree on: a layer that runs many times a turn has more, and is
/// itself repeated within the turn. Where that leaves few turns, more of them tell more.
std::size_t chosen_count(const Votes& votes) {
  constexpr std::size_t kEnoughTurns = 5;
  constexpr std::uint64_t kFairShare = 5; // one in five
  std::uint64_t most = 0;
  for (const auto& [count, kinds] : votes)
    most = std::max(most, kinds);
  std::size_t few = 0;
  for (const auto& [count, kinds] : votes) {
    if (kFairShare * kinds < most) continue;
    if (count >= kEnoughTurns) return count;
    if (few == 0) few = count;
  }
  return few;
}

} // namespace

bool is_even(const std::vector<std::uint64_t>& places, std::uint64_t events) {
  constexpr double kMostVariation = 0.3;
  if (places.size() < kFewestSteps || 2 * (places.back() - places.front()) < events) return false;
  std::vector<double> gaps;
  for (std::size_t i = 1; i < places.size(); ++i)
    gaps.push_back(static_cast<double>(places[i] - places[i - 1]));
  // The first and the last turn may be cut or warm up.
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

Repetition find_repetition(const FrameTable& frames, const EventTable& events) {
  std::map<AllocationKind, Places> places_of;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.action(i) == Action::alloc)
      places_of[allocation_kind(frames, events.stack(i), events.size_bytes(i))].push_back(i);
  }
  Votes votes;
  std::vector<const Places*> even;
  for (const auto& [kind, places] : places_of) {
    if (!is_even(places, events.size())) continue;
    ++votes[places.size()];
    even.push_back(&places);
  }
  Repetition result;
  const std::size_t count = chosen_count(votes);
  for (const Places* places : even) {
    if (places->size() != count) continue;
    ++result.anchors;
    if (result.starts.empty() || places->front() < result.starts.front()) result.starts = *places;
  }
  return result;
}

} // namespace memviz
