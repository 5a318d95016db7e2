#include "analysis/ranks/activation_scale.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace memviz {
namespace {

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

} // namespace

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

} // namespace memviz
