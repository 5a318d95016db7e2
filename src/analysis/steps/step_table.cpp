#include "memviz/step_table.hpp"

#include "analysis/steps/steps.hpp"
#include "base/saturating.hpp"

#include <algorithm>
#include <cstddef>

namespace memviz {
namespace {

/// Frees may name more bytes than their allocs did.
std::uint64_t live_of(std::int64_t bytes) {
  return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

class StepSums {
public:
  StepSums(const EventTable& events, std::uint64_t baseline_bytes)
      : events_(events), live_bytes_(static_cast<std::int64_t>(baseline_bytes)) {}

  /// Returns the figures of the next events, up to `end`.
  StepFigures take(std::size_t end) {
    StepFigures step{.first_event = next_, .events = end - next_, .start_bytes = live_of(live_bytes_)};
    step.peak_bytes = step.start_bytes;
    if (next_ < end) step.time_us = events_[next_].time_us;
    for (; next_ < end; ++next_)
      add(step, next_);
    step.end_bytes = live_of(live_bytes_);
    return step;
  }

private:
  void add(StepFigures& step, std::size_t event) {
    const std::uint64_t bytes = events_.size_bytes(event);
    if (events_.action(event) == Action::alloc) {
      step.allocated_bytes = saturating_sum(step.allocated_bytes, bytes);
      live_bytes_ += static_cast<std::int64_t>(bytes);
    } else if (events_.action(event) == Action::free_completed) {
      step.freed_bytes = saturating_sum(step.freed_bytes, bytes);
      live_bytes_ -= static_cast<std::int64_t>(bytes);
    }
    step.peak_bytes = std::max(step.peak_bytes, live_of(live_bytes_));
  }

  const EventTable& events_;
  std::size_t next_ = 0;
  std::int64_t live_bytes_; ///< replay() sums the same events, and refuses sums that do not fit
};

StepTable table_of(const DeviceState& device, const EventTable& events, Steps steps) {
  StepTable table{.device = device.device, .device_kind = device.device_kind, .steps = std::move(steps)};
  const std::vector<std::uint64_t>& starts = table.steps.starts;
  if (starts.empty()) return table;
  StepSums sums(events, device.figures.baseline_bytes);
  // The starts are indices of events, whose number fits into memory.
  const auto start_of = [&](std::size_t i) { return static_cast<std::size_t>(starts[i]); };
  if (starts.front() > 0) table.before = sums.take(start_of(0));
  for (std::size_t i = 0; i < starts.size(); ++i)
    table.rows.push_back(sums.take(i + 1 < starts.size() ? start_of(i + 1) : events.size()));
  return table;
}

} // namespace

std::int64_t StepFigures::growth_bytes() const {
  return saturating_difference(static_cast<std::int64_t>(end_bytes), static_cast<std::int64_t>(start_bytes));
}

std::vector<StepTable> step_tables(const MemoryState& state, const LeakOptions& options) {
  const auto is_used = [](const DeviceFigures& figures) {
    return figures.peak_requested_bytes > 0 || figures.alloc_bytes > 0 || figures.free_bytes > 0;
  };
  StepFinder finder(*state.recording, options.steps);
  std::vector<StepTable> tables;
  for (const DeviceState& device : state.devices) {
    const EventTable& events = state.recording->events_of(device.device);
    if ((options.device && *options.device != device.device) || events.empty()) continue;
    if (!options.device && !is_used(device.figures)) continue;
    tables.push_back(table_of(device, events, finder.steps_of(device.device)));
  }
  const bool is_any = std::ranges::any_of(tables, [](const StepTable& table) { return !table.rows.empty(); });
  if (!tables.empty() && !is_any) check_annotation(*state.recording, options.steps);
  return tables;
}

} // namespace memviz
