#include "analysis/steps/series.hpp"
#include "memviz/leaks.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace memviz {

namespace {

double as_double(std::uint64_t value) {
  return static_cast<double>(value);
}

/// The changes from step to step, summed up.
struct Changes {
  std::vector<std::size_t> rises; ///< steps that are higher than the previous one
  std::vector<std::size_t> falls;
  double risen_bytes = 0;
  double fallen_bytes = 0;
};

Changes changes_of(const std::vector<std::uint64_t>& bytes) {
  Changes changes;
  for (std::size_t step = 1; step < bytes.size(); ++step) {
    const double change = as_double(bytes[step]) - as_double(bytes[step - 1]);
    if (change > 0) {
      changes.rises.push_back(step);
      changes.risen_bytes += change;
    } else if (change < 0) {
      changes.falls.push_back(step);
      changes.fallen_bytes -= change;
    }
  }
  return changes;
}

/// Returns the largest distance between two rises, in steps.
std::size_t longest_gap(const std::vector<std::size_t>& rises) {
  std::size_t gap = 1;
  for (std::size_t i = 1; i < rises.size(); ++i)
    gap = std::max(gap, rises[i] - rises[i - 1]);
  return gap;
}

/// Returns the median change from one step to the next, from step `first` to step `last`.
double middle_step(const Series& series, std::size_t first, std::size_t last) {
  Series changes;
  for (std::size_t i = first; i < last; ++i)
    changes.push_back(series[i + 1] - series[i]);
  const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
  std::nth_element(changes.begin(), middle, changes.end());
  return *middle;
}

/// Whether the second half grows by much less than the first. Ignores the first change, because a program makes its
/// one-time allocations in the first step.
bool slows_down(const Series& series) {
  constexpr std::size_t kFewest = 7;
  constexpr double kMuchLess = 0.25;
  if (series.size() < kFewest) return false;
  const std::size_t middle = 1 + (series.size() - 1) / 2;
  const double early = series[middle] - series[1];
  const double late = series.back() - series[middle];
  if (early <= 0 || late >= kMuchLess * early) return false;
  // A single leap among even steps is not a slowdown.
  const double usual_early = middle_step(series, 1, middle);
  return usual_early <= 0 || middle_step(series, middle, series.size() - 1) < kMuchLess * usual_early;
}

/// Classifies growth without falls that matter.
TrendKind kind_of_growth(const std::vector<std::uint64_t>& bytes, const Changes& changes) {
  if (bytes.back() <= bytes.front() || changes.rises.size() < 2) return TrendKind::none;
  const std::size_t quiet = bytes.size() - 1 - changes.rises.back();
  const std::size_t gap = longest_gap(changes.rises);
  if (quiet >= 2 && quiet > 2 * gap) return changes.rises.size() >= 3 ? TrendKind::stopped : TrendKind::none;
  if (slows_down(without_leaps(series_of(bytes)))) return TrendKind::stopped;
  // Two rises are enough only in three steps.
  return changes.rises.size() >= std::min<std::size_t>(3, bytes.size() - 1) ? TrendKind::grows : TrendKind::none;
}

/// Returns the floors after each fall.
std::vector<std::uint64_t> troughs_of(const std::vector<std::uint64_t>& bytes, const Changes& changes) {
  std::vector<std::uint64_t> troughs;
  for (std::size_t i = 0; i < changes.falls.size(); ++i) {
    const bool goes_on = i + 1 < changes.falls.size() && changes.falls[i + 1] == changes.falls[i] + 1;
    if (!goes_on) troughs.push_back(bytes[changes.falls[i]]);
  }
  return troughs;
}

/// Whether one fall, which proves less than a series of them, left much behind, after which it rose to a new height.
bool grows_after_one_fall(const std::vector<std::uint64_t>& bytes, std::size_t fall) {
  const std::uint64_t height = *std::max_element(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(fall));
  return bytes.back() > height;
}

/// Classifies growth with falls that matter. A few large ones, after which it rises again, are late frees; if the
/// remaining level grows, there is a leak below them.
TrendKind kind_of_sawtooth(const std::vector<std::uint64_t>& bytes, const Changes& changes) {
  const auto after_fall =
      std::ranges::count_if(changes.rises, [&](std::size_t rise) { return rise > changes.falls.front(); });
  if (changes.rises.size() < 2 * changes.falls.size() || after_fall < 2) return TrendKind::none;
  const std::vector<std::uint64_t> troughs = troughs_of(bytes, changes);
  constexpr double kMuch = 0.25; // of what falls back each time
  const double fall = changes.fallen_bytes / as_double(troughs.size());
  const bool is_rising =
      troughs.size() == 1 ? grows_after_one_fall(bytes, changes.falls.front())
                          : std::adjacent_find(troughs.begin(), troughs.end(), std::greater_equal<>()) == troughs.end();
  const double left = as_double(troughs.back()) - as_double(bytes.front());
  return is_rising && left > kMuch * fall ? TrendKind::grows : TrendKind::late_frees;
}

/// Returns the step from which falls count: one before anything has risen is the end of the start-up.
std::size_t end_of_start(const std::vector<std::uint64_t>& bytes) {
  std::size_t end = 0;
  for (std::size_t step = 1; step < bytes.size() && bytes[step] <= bytes[step - 1]; ++step)
    if (bytes[step] < bytes[step - 1]) end = step;
  return end;
}

/// Returns the part of a series that grows: without leaps, and from the end of its flat part on.
struct Growth {
  std::size_t first = 0;
  double per_step = 0;
  std::size_t pause = 1;
  Confidence confidence = Confidence::low;
};

/// Classifies growth that never falls: measured from one rise to another, so that it does not matter where in a long
/// stair the recording begins or ends.
double slope_of_stairs(std::span<const double> series, const std::vector<std::size_t>& rises) {
  if (rises.size() < 3) return (series.back() - series.front()) / static_cast<double>(series.size() - 1);
  return (series[rises.back()] - series[rises.front()]) / static_cast<double>(rises.back() - rises.front());
}

/// By chance, each change would be a rise or a fall like a coin toss. Rises count for less if there is a long pause
/// among them.
Confidence confidence_of_stairs(std::size_t rises, std::size_t stairs) {
  constexpr std::size_t kMany = 16;
  constexpr std::size_t kSome = 7;
  if (rises >= kMany && stairs >= kMany / 2) return Confidence::high;
  return rises >= kSome && stairs >= kSome / 2 ? Confidence::medium : Confidence::low;
}

Confidence confidence_of_drift(std::size_t steps, double drift) {
  constexpr std::size_t kMany = 17; // windows of a drift, plus one
  constexpr std::size_t kSome = 8;
  constexpr double kSure = 5.5; // standard errors
  constexpr double kLikely = 3.7;
  if (drift >= kSure && steps >= kMany) return Confidence::high;
  return drift >= kLikely && steps >= kSome ? Confidence::medium : Confidence::low;
}

Growth growth_in(const std::vector<std::uint64_t>& bytes) {
  const Series series = without_leaps(series_of(bytes));
  Growth growth;
  growth.first = start_of_growth(series);
  const auto part = std::span(series).subspan(growth.first);
  std::vector<std::size_t> rises;
  bool has_falls = false;
  for (std::size_t i = 1; i < part.size(); ++i) {
    if (part[i] > part[i - 1]) rises.push_back(i);
    has_falls = has_falls || part[i] < part[i - 1];
  }
  growth.pause = longest_gap(rises);
  if (!has_falls) {
    growth.per_step = slope_of_stairs(part, rises);
    growth.confidence = confidence_of_stairs(rises.size(), (part.size() - 1) / growth.pause);
    return growth;
  }
  growth.per_step = robust_slope(part);
  growth.confidence = confidence_of_drift(part.size(), drift(part));
  // A stair of long steps has no median slope in short windows, but it has a mean.
  if (growth.per_step <= 0) growth.per_step = (part.back() - part.front()) / static_cast<double>(part.size() - 1);
  return growth;
}

Trend trend_after_start(const std::vector<std::uint64_t>& bytes) {
  Trend trend;
  if (bytes.size() < kFewestSteps) return trend;
  const Changes changes = changes_of(bytes);
  trend.rises = changes.rises.size();
  trend.falls = changes.falls.size();
  trend.last_rise = changes.rises.empty() ? 0 : changes.rises.back();
  if (changes.rises.empty()) return trend;
  constexpr double kMatters = 0.2; // of what rose
  const bool has_falls = changes.fallen_bytes > kMatters * changes.risen_bytes;
  const Growth growth = growth_in(bytes);
  trend.bytes_per_step = growth.per_step;
  trend.kind = has_falls ? kind_of_sawtooth(bytes, changes) : kind_of_growth(bytes, changes);
  // If the falls are noise rather than a sawtooth, the drift decides.
  if (has_falls && growth.confidence > Confidence::low) trend.kind = TrendKind::grows;
  if (trend.kind != TrendKind::grows) return trend;
  trend.first_step = growth.first;
  trend.longest_pause = growth.pause;
  trend.confidence = growth.confidence;
  return trend;
}

} // namespace

Trend trend_of(const std::vector<std::uint64_t>& bytes) {
  const std::size_t start = end_of_start(bytes);
  Trend trend = trend_after_start({bytes.begin() + static_cast<std::ptrdiff_t>(start), bytes.end()});
  if (trend.rises > 0) trend.last_rise += start;
  trend.first_step += start;
  return trend;
}

} // namespace memviz
