#include "analysis/steps/series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace memviz {

namespace {

double median(Series numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

double mean(std::span<const double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

/// Returns the sum of squares that remains if `series` is flat before `first` and a line from there on.
class BentLineFit {
public:
  explicit BentLineFit(std::span<const double> series)
      : series_(series), count_(static_cast<double>(series.size())), mean_(mean(series)) {
    for (const double number : series)
      squares_ += (number - mean_) * (number - mean_);
    // From the last step backward: the sum of (step - first) * (number - mean), and of the numbers alone.
    products_.resize(series.size());
    double after = 0;
    for (std::size_t i = series.size(); i-- > 1;) {
      after += series[i] - mean_;
      products_[i - 1] = products_[i] + after;
    }
  }

  [[nodiscard]] double squares_left(std::size_t first) const {
    const auto steps = static_cast<double>(series_.size() - 1 - first);
    const double sum = steps * (steps + 1) / 2;
    const double spread = steps * (steps + 1) * (2 * steps + 1) / 6 - sum * sum / count_;
    // The mean of the steps cancels: the numbers are those above their mean.
    const double product = products_[first];
    if (spread <= 0 || product <= 0) return squares_;
    return std::max(0.0, squares_ - product * product / spread);
  }

private:
  std::span<const double> series_;
  double count_;
  double mean_;
  double squares_ = 0;
  Series products_;
};

Series window_means(std::span<const double> series) {
  constexpr std::size_t kMostWindows = 16;
  const std::size_t windows = std::min(kMostWindows, series.size());
  Series means;
  for (std::size_t i = 0; i < windows; ++i) {
    const std::size_t begin = i * series.size() / windows;
    means.push_back(mean(series.subspan(begin, (i + 1) * series.size() / windows - begin)));
  }
  return means;
}

} // namespace

Series series_of(std::span<const std::uint64_t> bytes) {
  Series series;
  for (const std::uint64_t number : bytes)
    series.push_back(static_cast<double>(number));
  return series;
}

Series without_leaps(Series series) {
  constexpr double kFarLarger = 8;
  constexpr std::size_t kFew = 16; // one in so many, and one
  Series changes;
  for (std::size_t i = 1; i < series.size(); ++i)
    if (series[i] != series[i - 1]) changes.push_back(std::abs(series[i] - series[i - 1]));
  if (changes.size() < 4) return series;
  const double usual = median(std::move(changes));
  Series lowest_from = series;
  for (std::size_t i = series.size() - 1; i-- > 0;)
    lowest_from[i] = std::min(lowest_from[i], lowest_from[i + 1]);
  std::vector<std::size_t> leaps;
  for (std::size_t i = 1; i < series.size(); ++i) {
    const double rise = series[i] - series[i - 1];
    if (rise > kFarLarger * usual && lowest_from[i] > series[i - 1] + rise / 2) leaps.push_back(i);
  }
  if (leaps.size() > 1 + series.size() / kFew) return series;
  // The leap is reduced to the size of a usual step.
  for (const std::size_t leap : leaps) {
    const double extra = series[leap] - series[leap - 1] - usual;
    for (std::size_t i = leap; i < series.size(); ++i)
      series[i] -= extra;
  }
  return series;
}

std::size_t start_of_growth(std::span<const double> series) {
  constexpr std::size_t kFewestGrowing = 4;
  if (series.size() < 2 * kFewestGrowing) return 0;
  const BentLineFit fit(series);
  const double all = fit.squares_left(0);
  std::size_t best = 0;
  double least = all;
  for (std::size_t first = 1; first + kFewestGrowing < series.size(); ++first) {
    const double left = fit.squares_left(first);
    if (left < least) {
      least = left;
      best = first;
    }
  }
  const auto [low, high] = std::ranges::minmax_element(series);
  constexpr double kExact = 1e-4; // of the range: a fit this good cannot be beaten
  const auto count = static_cast<double>(series.size());
  const double floor = count * (*high - *low) * (*high - *low) * kExact * kExact;
  // The bend is an additional parameter, and is chosen among many.
  const bool is_better = count * std::log((all + floor) / (least + floor)) > 3 * std::log(count);
  return *high > *low && is_better ? best : 0;
}

double robust_slope(std::span<const double> series) {
  const std::size_t lag = std::max<std::size_t>(1, series.size() / 2);
  Series slopes;
  for (std::size_t i = 0; i + lag < series.size(); ++i)
    slopes.push_back((series[i + lag] - series[i]) / static_cast<double>(lag));
  return median(std::move(slopes));
}

double drift(std::span<const double> series) {
  const Series means = window_means(series);
  if (means.size() < 4) return 0;
  Series changes;
  for (std::size_t i = 1; i < means.size(); ++i)
    changes.push_back(means[i] - means[i - 1]);
  const double average = mean(changes);
  double squares = 0;
  for (const double change : changes)
    squares += (change - average) * (change - average);
  const auto count = static_cast<double>(changes.size());
  const double error = std::sqrt(squares / (count - 1) / count);
  if (error <= 0) return average > 0 ? std::numeric_limits<double>::infinity() : 0;
  // Student's t for few changes has long tails.
  constexpr double kTails = 4;
  return average / error / (1 + kTails / (count - 1));
}

} // namespace memviz
