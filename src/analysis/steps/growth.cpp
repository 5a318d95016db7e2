#include "analysis/steps/growth.hpp"

#include <algorithm>
#include <numeric>
#include <span>

namespace memviz {

namespace {

/// Returns the running total of what the steps left behind, for steps whose blocks are older than any freed block ever
/// gets. Empty if there are too few of these.
std::vector<std::uint64_t> old_survivors(const std::vector<std::uint64_t>& survivors, std::size_t long_life) {
  constexpr std::size_t kFewest = 8;
  const std::size_t young = 1 + 2 * long_life;
  if (survivors.size() < young + kFewest) return {};
  std::vector<std::uint64_t> sums;
  std::uint64_t sum = 0;
  for (std::size_t step = 0; step + young < survivors.size(); ++step)
    sums.push_back(sum += survivors[step]);
  return sums;
}

Confidence one_less(Confidence confidence) {
  return confidence == Confidence::high ? Confidence::medium : Confidence::low;
}

/// Sums of survivors never fall, so rises alone prove less than those of a floor: they must be evenly distributed.
Confidence confidence_of(const Trend& left, std::size_t steps) {
  constexpr std::size_t kMany = 16;
  constexpr std::size_t kSome = 10;
  const std::size_t stairs = (steps - 1 - left.first_step) / left.longest_pause;
  if (left.rises >= kMany && stairs >= kMany * 3 / 4) return Confidence::high;
  return left.rises >= kSome && stairs >= kSome * 3 / 4 ? Confidence::medium : Confidence::low;
}

/// The floor may rise and fall with everything that the stack holds; what is left behind does not.
void weigh(StackGrowth& growth, const std::vector<std::uint64_t>& left) {
  Trend& floor = growth.trend;
  if (left.empty() || floor.falls == 0 || floor.kind == TrendKind::stopped) return;
  Trend old = trend_of(left);
  if (old.kind == TrendKind::grows) old.confidence = confidence_of(old, left.size());
  if (old.kind == TrendKind::grows && old.confidence > Confidence::low) {
    old.confidence = std::max(old.confidence, floor.confidence);
    floor = old;
    growth.sign = GrowthSign::survivors;
  } else {
    floor.confidence = one_less(floor.confidence);
  }
}

/// Whether almost nothing is left of the floor's rise up to the last steps, because larger blocks took its place.
bool is_replaced(const StackGrowth& growth) {
  constexpr std::uint64_t kHardly = 10; // one in ten
  const std::vector<std::uint64_t>& floor = growth.floor_bytes;
  const std::size_t first = growth.trend.first_step;
  const std::size_t young = 2 * growth.trend.longest_pause;
  if (growth.sign != GrowthSign::floor || floor.size() < first + young + 2) return false;
  const std::size_t end = floor.size() - young;
  const auto born = std::span(growth.survivor_bytes).subspan(first, end - first);
  const std::uint64_t left = std::accumulate(born.begin(), born.end(), std::uint64_t{0});
  return floor[end - 1] > floor[first] && left < (floor[end - 1] - floor[first]) / kHardly;
}

void count_steps(StackGrowth& growth) {
  const bool is_floor = growth.sign == GrowthSign::floor;
  const std::vector<std::uint64_t>& bytes = is_floor ? growth.floor_bytes : growth.survivor_bytes;
  for (std::size_t step = growth.trend.first_step + (is_floor ? 1 : 0); step < bytes.size(); ++step) {
    ++growth.of_steps;
    if (is_floor ? bytes[step] > bytes[step - 1] : bytes[step] > 0) ++growth.seen_steps;
  }
}

} // namespace

StackGrowth growth_of(const KindFloors& kind, std::size_t steps) {
  StackGrowth growth;
  growth.stack = kind.kind.stack;
  growth.size_bytes = kind.kind.size_bytes;
  growth.floor_bytes = kind.by_step(&StepSample::floor_bytes, steps);
  growth.first_bytes = growth.floor_bytes.front();
  growth.last_bytes = growth.floor_bytes.back();
  growth.trend = trend_of(growth.floor_bytes);
  growth.survivor_bytes = kind.survivors_by_step(steps);
  weigh(growth, old_survivors(growth.survivor_bytes, kind.lifetimes.long_life()));
  if (growth.trend.kind == TrendKind::none) return growth;
  if (growth.trend.kind == TrendKind::grows && is_replaced(growth)) growth.trend.kind = TrendKind::replaced;
  if (growth.trend.kind == TrendKind::grows || growth.trend.kind == TrendKind::replaced) count_steps(growth);
  growth.start_bytes = kind.by_step(&StepSample::start_bytes, steps);
  growth.end_bytes = kind.end_bytes;
  growth.end_blocks = kind.end_blocks;
  growth.burst = kind.burst;
  return growth;
}

} // namespace memviz
