#include "analysis/explain/step_leak.hpp"

#include "memviz/leaks.hpp"

#include <algorithm>
#include <cmath>

namespace memviz {

std::optional<StepLeak> step_leak(const MemoryState& state, const DeviceState& device_state, LineNames& names) {
  constexpr std::uint64_t kLeastPart = 20;
  if (state.recording->annotations.empty()) return std::nullopt;
  LeakOptions options;
  options.device = device_state.device;
  for (const DeviceLeaks& leaks : find_leaks(state, options)) {
    if (leaks.steps.is_guess() || !leaks.is_sure()) continue;
    StepLeak found;
    found.steps = leaks.steps.starts.size();
    found.bytes_per_step = leaks.bytes_per_step();
    if (found.bytes_per_step < device_state.figures.requested_bytes / kLeastPart / found.steps) continue;
    LineAmounts amounts;
    for (std::size_t i = 0; i < leaks.judged_stacks(); ++i) {
      const StackGrowth& growth = leaks.grows[i];
      const auto bytes = static_cast<std::uint64_t>(std::llround(std::max(0.0, growth.trend.bytes_per_step)));
      amounts.add(names.lines.line_of(growth.stack), {bytes, growth.end_blocks});
    }
    found.lines = amounts.ranked(names.order);
    found.stack = leaks.grows.front().stack;
    return found;
  }
  return std::nullopt;
}

} // namespace memviz
