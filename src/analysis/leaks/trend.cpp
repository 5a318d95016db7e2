#include "memviz/leaks.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace memviz {

namespace {

double as_double(std::uint64_t value) {
  return static_cast<double>(value);
}

/// The median slope between each step and the one half of the steps later (Theil's incomplete method): up to a quarter
/// of the steps may be anything.
double robust_slope(const std::vector<std::uint64_t>& bytes) {
  const std::size_t lag = std::max<std::size_t>(1, bytes.size() / 2);
  std::vector<double> slopes;
  for (std::size_t i = 0; i + lag < bytes.size(); ++i)
    slopes.push_back((as_double(bytes[i + lag]) - as_double(bytes[i])) / static_cast<double>(lag));
  const auto middle = slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2);
  std::nth_element(slopes.begin(), middle, slopes.end());
  if (slopes.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(slopes.begin(), middle)) / 2;
}

/// The changes from step to step, summed up.
struct Changes {
  std::vector<std::size_t> rises; ///< steps that are higher than the one before
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

/// The longest way between two rises, the first counted from the second step.
std::size_t longest_gap(const std::vector<std::size_t>& rises) {
  std::size_t gap = 1;
  for (std::size_t i = 1; i < rises.size(); ++i)
    gap = std::max(gap, rises[i] - rises[i - 1]);
  return gap;
}

/// The median change from one step to the next, from step `first` to step `last`.
double middle_step(const std::vector<std::uint64_t>& bytes, std::size_t first, std::size_t last) {
  std::vector<double> changes;
  for (std::size_t i = first; i < last; ++i)
    changes.push_back(as_double(bytes[i + 1]) - as_double(bytes[i]));
  const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
  std::nth_element(changes.begin(), middle, changes.end());
  return *middle;
}

/// Whether the second half grows by much less than the first. The first change is left out: what a program makes once
/// it makes in its first step.
bool slows_down(const std::vector<std::uint64_t>& bytes) {
  constexpr std::size_t kFewest = 7;
  constexpr double kMuchLess = 0.25;
  if (bytes.size() < kFewest) return false;
  const std::size_t middle = 1 + (bytes.size() - 1) / 2;
  const double early = as_double(bytes[middle]) - as_double(bytes[1]);
  const double late = as_double(bytes.back()) - as_double(bytes[middle]);
  if (early <= 0 || late >= kMuchLess * early) return false;
  // One leap among even steps is no slowing down.
  const double usual_early = middle_step(bytes, 1, middle);
  return usual_early <= 0 || middle_step(bytes, middle, bytes.size() - 1) < kMuchLess * usual_early;
}

/// Growth without falls that matter.
TrendKind kind_of_growth(const std::vector<std::uint64_t>& bytes, const Changes& changes) {
  if (bytes.back() <= bytes.front() || changes.rises.size() < 2) return TrendKind::none;
  const std::size_t quiet = bytes.size() - 1 - changes.rises.back();
  const std::size_t gap = longest_gap(changes.rises);
  if (quiet >= 2 && quiet > 2 * gap) return changes.rises.size() >= 3 ? TrendKind::stopped : TrendKind::none;
  if (slows_down(bytes)) return TrendKind::stopped;
  // Two rises are enough in three steps only.
  return changes.rises.size() >= std::min<std::size_t>(3, bytes.size() - 1) ? TrendKind::grows : TrendKind::none;
}

/// Where the floors lie after each fall.
std::vector<std::uint64_t> troughs_of(const std::vector<std::uint64_t>& bytes, const Changes& changes) {
  std::vector<std::uint64_t> troughs;
  for (std::size_t i = 0; i < changes.falls.size(); ++i) {
    const bool goes_on = i + 1 < changes.falls.size() && changes.falls[i + 1] == changes.falls[i] + 1;
    if (!goes_on) troughs.push_back(bytes[changes.falls[i]]);
  }
  return troughs;
}

/// Whether one fall, which tells less than a row of them, left much behind, upon which it rose to a new height.
bool grows_after_one_fall(const std::vector<std::uint64_t>& bytes, std::size_t fall) {
  const std::uint64_t height = *std::max_element(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(fall));
  return bytes.back() > height;
}

/// Growth with falls that matter: few and large ones, after which it rises again, are late frees; where what they leave
/// grows, there is a leak below them.
TrendKind kind_of_sawtooth(const std::vector<std::uint64_t>& bytes, const Changes& changes) {
  const auto after_fall = std::count_if(changes.rises.begin(), changes.rises.end(),
                                        [&](std::size_t rise) { return rise > changes.falls.front(); });
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

/// The step from which on falls tell anything: what falls before anything has risen is the end of the start-up.
std::size_t end_of_start(const std::vector<std::uint64_t>& bytes) {
  std::size_t end = 0;
  for (std::size_t step = 1; step < bytes.size() && bytes[step] <= bytes[step - 1]; ++step)
    if (bytes[step] < bytes[step - 1]) end = step;
  return end;
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
  trend.bytes_per_step = robust_slope(bytes);
  trend.kind = has_falls ? kind_of_sawtooth(bytes, changes) : kind_of_growth(bytes, changes);
  if (trend.kind != TrendKind::grows) return trend;
  // A stair of long steps has no median slope in short windows, but it has a mean.
  if (trend.bytes_per_step <= 0)
    trend.bytes_per_step = (as_double(bytes.back()) - as_double(bytes.front())) / as_double(bytes.size() - 1);
  // What rises every tenth step, each time, is as sure as what rises in each.
  const double steps_seen = as_double(bytes.size() - 1) / as_double(longest_gap(changes.rises));
  trend.confidence = std::min(1.0, as_double(trend.rises) / std::max(1.0, steps_seen));
  trend.confidence = std::max(trend.confidence, as_double(trend.rises) / as_double(bytes.size() - 1));
  return trend;
}

} // namespace

Trend trend_of(const std::vector<std::uint64_t>& bytes) {
  const std::size_t start = end_of_start(bytes);
  Trend trend = trend_after_start({bytes.begin() + static_cast<std::ptrdiff_t>(start), bytes.end()});
  if (trend.rises > 0) trend.last_rise += start;
  return trend;
}

std::string_view confidence_word(double confidence, std::size_t steps) {
  constexpr std::size_t kMany = 8;
  constexpr std::size_t kSome = 5;
  if (confidence >= 0.9 && steps >= kMany) return "high";
  return confidence >= 0.6 && steps >= kSome ? "medium" : "low";
}

} // namespace memviz
