#include "analysis/ranks/rank_outliers.hpp"

#include "analysis/ranks/activation_scale.hpp"
#include "base/saturating.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace memviz {
namespace {

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
