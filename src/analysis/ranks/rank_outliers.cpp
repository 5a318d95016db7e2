#include "analysis/ranks/rank_outliers.hpp"

#include "analysis/ranks/rank_medians.hpp"
#include "base/saturating.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

namespace memviz {
namespace {

struct ActivationScale {
  double factor = 1;
  bool fits = false; ///< whether nine tenths of the activations have this factor, to 3 %
};

constexpr double kSameFactor = 0.03;

/// A line of activations of one rank.
struct ScaledLine {
  double factor = 1;
  std::uint64_t weight = 0; ///< the group's median
};

double median_factor(std::vector<double> factors) {
  std::ranges::sort(factors);
  const std::size_t middle = factors.size() / 2;
  return factors.size() % 2 == 1 ? factors[middle] : (factors[middle - 1] + factors[middle]) / 2;
}

/// Returns the lines of the group that hold activations, with their medians of at least 1 MiB.
LineBytes lines_of_activations(const RankTable& table, const RankGroup& group) {
  constexpr std::uint64_t kLeast = std::uint64_t{1} << 20U;
  LineBytes lines;
  for (LineId line = 0; line < table.lines.size(); ++line) {
    std::vector<std::uint64_t> values;
    for (const std::size_t rank : group.ranks)
      values.push_back(bytes_of(table.rows[rank].lines, line));
    const std::uint64_t middle = median_of(std::move(values));
    if (middle >= kLeast && usual_kind(table, group.ranks, line) == MemoryKind::activation)
      lines.emplace_back(line, middle);
  }
  return lines;
}

ActivationScale scale_of(std::vector<ScaledLine> lines) {
  std::ranges::sort(lines, {}, &ScaledLine::factor);
  std::uint64_t all = 0;
  for (const ScaledLine& line : lines)
    all = saturating_sum(all, line.weight);
  ActivationScale scale;
  std::uint64_t below = 0;
  for (const ScaledLine& line : lines) {
    scale.factor = line.factor;
    below = saturating_sum(below, line.weight);
    if (below > all / 2) break;
  }
  std::uint64_t fitting = 0;
  for (const ScaledLine& line : lines)
    if (std::abs(line.factor - scale.factor) <= kSameFactor * scale.factor)
      fitting = saturating_sum(fitting, line.weight);
  scale.fits = fitting >= all - all / 10;
  return scale;
}

/// Returns the scale of each member of `group`, in its order; 1 where fewer than two lines hold activations.
std::vector<ActivationScale> activation_scales(const RankTable& table, const RankGroup& group) {
  constexpr std::size_t kFewestLines = 2;
  const LineBytes lines = lines_of_activations(table, group);
  std::vector<ActivationScale> scales(group.ranks.size());
  if (lines.size() < kFewestLines) return scales;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    std::vector<ScaledLine> scaled;
    for (const auto& [line, middle] : lines)
      scaled.push_back(
          {static_cast<double>(bytes_of(table.rows[group.ranks[i]].lines, line)) / static_cast<double>(middle),
           middle});
    scales[i] = scale_of(std::move(scaled));
    if (scales[i].factor <= 0) scales[i] = {};
  }
  return scales;
}

/// Whether the factor of a member differs from those of the others by more than chance explains.
bool stands_out(const std::vector<ActivationScale>& scales, std::size_t member) {
  constexpr double kLeast = 0.1;  // of a factor: less is no fault
  constexpr double kClear = 0.25; // of a factor that stands out of few
  constexpr double kOfNormal = 1.4826;
  constexpr double kEnough = 16;
  std::vector<double> factors;
  std::vector<double> others;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    factors.push_back(scales[i].factor);
    if (i != member) others.push_back(scales[i].factor);
  }
  const double middle = median_factor(factors);
  for (double& factor : factors)
    factor = std::abs(factor - middle);
  const double few = std::max(1.0, kEnough / static_cast<double>(scales.size()));
  const double own = std::abs(scales[member].factor - middle);
  if (!scales[member].fits || own < kLeast) return false;
  const auto [least, most] = std::ranges::minmax(others);
  if (own >= kClear && most - least <= own / 5) return true;
  // The longest batch of a few is rarely short, so that a short one is far from many that are alike.
  const bool is_longer = scales[member].factor > middle;
  return is_longer && own > most - least && own > 4 * few * kOfNormal * median_factor(factors);
}

/// Returns the difference from the middle above which one of these values is an outlier, from their deviations.
std::uint64_t outlier_threshold(std::vector<std::uint64_t> deviations, std::uint64_t floor) {
  constexpr double kOfNormal = 1.4826; // converts a MAD to a standard deviation
  constexpr double kFactor = 4;
  constexpr double kEnough = 16;
  const double few = std::max(1.0, kEnough / static_cast<double>(deviations.size()));
  const double spread = kFactor * few * kOfNormal * static_cast<double>(median_of(std::move(deviations)));
  return std::max(floor, static_cast<std::uint64_t>(spread));
}

/// The values of one line, and how far each is from what is usual.
struct Deviations {
  std::vector<std::uint64_t> values;
  std::uint64_t middle = 0;
  std::vector<std::uint64_t> from_usual;
};

/// Adds the outliers of one list of each member's row.
class OutlierSearch {
public:
  OutlierSearch(const RankTable& table, const RankGroup& group, LineBytes RankRow::*entries)
      : table_(table), group_(group), medians_(medians_by_line(group)), entries_(entries) {
    if (!is_of_communication()) scales_ = activation_scales(table, group);
  }

  std::map<std::size_t, RankDifference> found() {
    std::set<LineId> lines;
    for (const std::size_t rank : group_.ranks)
      for (const auto& [line, bytes] : table_.rows[rank].*entries_)
        lines.insert(line);
    for (std::size_t i = 0; i < scales_.size(); ++i)
      if (stands_out(scales_, i)) entry_of(i).activation_factor = scales_[i].factor;
    for (const LineId line : lines)
      look_at(line);
    for (auto& [rank, difference] : found_)
      sort_lines(difference);
    std::erase_if(found_, [&](const auto& entry) {
      return magnitude(entry.second.delta_bytes) <= least_difference(group_.median_bytes);
    });
    return std::move(found_);
  }

private:
  [[nodiscard]] bool is_of_communication() const { return entries_ == &RankRow::communication; }

  RankDifference& entry_of(std::size_t member) {
    const std::size_t rank = group_.ranks[member];
    return found_.try_emplace(rank, RankDifference{.rank = rank}).first->second;
  }

  [[nodiscard]] Deviations deviations_of(LineId line) const {
    Deviations deviations{.values = {}, .from_usual = {}};
    for (const std::size_t rank : group_.ranks)
      deviations.values.push_back(bytes_of(table_.rows[rank].*entries_, line));
    deviations.middle = median_of(deviations.values);
    for (const std::uint64_t value : deviations.values)
      deviations.from_usual.push_back(distance(value, deviations.middle));
    if (scales_.empty() || deviations.middle == 0) return deviations;
    std::vector<std::uint64_t> unscaled;
    for (std::size_t i = 0; i < scales_.size(); ++i)
      unscaled.push_back(static_cast<std::uint64_t>(static_cast<double>(deviations.values[i]) / scales_[i].factor));
    const auto usual = static_cast<double>(median_of(std::move(unscaled)));
    std::vector<std::uint64_t> from_scaled;
    for (std::size_t i = 0; i < scales_.size(); ++i)
      from_scaled.push_back(distance(deviations.values[i], static_cast<std::uint64_t>(usual * scales_[i].factor)));
    if (median_of(from_scaled) >= median_of(deviations.from_usual) / 2) return deviations;
    deviations.from_usual = std::move(from_scaled);
    return deviations;
  }

  void look_at(LineId line) {
    const std::uint64_t floor = least_difference(group_.median_bytes);
    const Deviations deviations = deviations_of(line);
    const std::uint64_t threshold = outlier_threshold(deviations.from_usual, floor);
    for (std::size_t i = 0; i < deviations.values.size(); ++i) {
      const std::int64_t delta = signed_difference(deviations.values[i], deviations.middle);
      const auto known = found_.find(group_.ranks[i]);
      const bool is_longer = known != found_.end() && known->second.activation_factor && magnitude(delta) > floor;
      if (deviations.from_usual[i] <= threshold && !is_longer) continue;
      const MemoryKind kind = main_kind(table_, medians_, group_.ranks[i], line, is_of_communication());
      entry_of(i).lines.push_back({table_.lines[line], kind, delta});
    }
  }

  const RankTable& table_;
  const RankGroup& group_;
  LineMedians medians_;
  LineBytes RankRow::*entries_;
  std::vector<ActivationScale> scales_;
  std::map<std::size_t, RankDifference> found_;
};

} // namespace

Outliers outliers_of(const RankTable& table, const RankGroup& group) {
  constexpr std::size_t kFewest = 3;
  Outliers outliers;
  if (group.ranks.size() < kFewest) return outliers;
  auto ranks = OutlierSearch(table, group, &RankRow::lines).found();
  auto by_timing = OutlierSearch(table, group, &RankRow::communication).found();
  for (auto& [rank, difference] : ranks)
    outliers.ranks.push_back(std::move(difference));
  for (auto& [rank, difference] : by_timing)
    if (!ranks.contains(rank)) outliers.by_timing.push_back(std::move(difference));
  return outliers;
}

} // namespace memviz
