#include "memviz/step_compare.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <cstddef>

namespace memviz {
namespace {

std::int64_t grown_by(std::uint64_t before, std::uint64_t after) {
  return saturating_difference(static_cast<std::int64_t>(after), static_cast<std::int64_t>(before));
}

Steps without_starts(Steps steps) {
  steps.starts.clear();
  return steps;
}

StepComparison compared(const StepTable& before, const StepTable& after) {
  StepComparison result{.device = before.device,
                        .device_kind = before.device_kind,
                        .before = without_starts(before.steps),
                        .after = without_starts(after.steps),
                        .before_steps = before.steps.left_out + before.rows.size(),
                        .after_steps = after.steps.left_out + after.rows.size()};
  if (before.steps.is_guess() || after.steps.is_guess()) return result;
  const std::uint64_t first = std::max(before.steps.left_out, after.steps.left_out);
  const std::uint64_t end = std::min(result.before_steps, result.after_steps);
  std::uint64_t most_bytes = 0;
  for (std::uint64_t step = first; step < end; ++step) {
    const auto row_of = [step](const StepTable& table) {
      return table.rows[static_cast<std::size_t>(step - table.steps.left_out)];
    };
    const StepChange& change = result.rows.emplace_back(StepChange{step + 1, row_of(before), row_of(after)});
    if (magnitude(change.peak_bytes()) <= most_bytes) continue;
    most_bytes = magnitude(change.peak_bytes());
    result.most = result.rows.size() - 1;
  }
  return result;
}

} // namespace

std::int64_t StepChange::peak_bytes() const {
  return grown_by(before.peak_bytes, after.peak_bytes);
}

std::int64_t StepChange::end_bytes() const {
  return grown_by(before.end_bytes, after.end_bytes);
}

std::vector<StepComparison> compare_steps(const std::vector<StepTable>& before, const std::vector<StepTable>& after) {
  std::vector<StepComparison> result;
  if (before.size() == 1 && after.size() == 1) return {compared(before.front(), after.front())};
  for (const StepTable& one : before) {
    const auto other = std::ranges::find(after, one.device, &StepTable::device);
    if (other != after.end()) result.push_back(compared(one, *other));
  }
  return result;
}

} // namespace memviz
