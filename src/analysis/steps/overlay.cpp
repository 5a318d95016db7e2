#include "memviz/overlay.hpp"

#include "base/saturating.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace memviz {
namespace {

/// One of the two recordings, with what places its events on an axis.
struct Run {
  const DeviceState& state;
  const EventTable& events;
  StepTable steps;
  std::string_view side; ///< for messages
};

const DeviceState* chosen_device(const MemoryState& state, std::optional<DeviceId> device) {
  const DeviceState* best = nullptr;
  for (const DeviceState& one : state.devices) {
    if (device ? one.device != *device : is_host(one.device)) continue;
    if (state.recording->events_of(one.device).empty()) continue;
    if (best == nullptr || one.figures.peak_requested_bytes > best->figures.peak_requested_bytes) best = &one;
  }
  return best;
}

Run run_of(const MemoryState& state, const OverlayOptions& options, std::string_view side) {
  const DeviceState* const device = chosen_device(state, options.device);
  if (device == nullptr)
    throw UsageError(fmt::format("the recording {} has no events{}, so there is no curve to draw", side,
                                 options.device ? " on this device" : ""));
  const EventTable& events = state.recording->events_of(device->device);
  std::vector<StepTable> tables = step_tables(state, {options.steps, device->device, {}});
  return {*device, events, std::move(tables.front()), side};
}

bool knows_steps(const Run& run) {
  return !run.steps.rows.empty() && !run.steps.steps.is_guess();
}

OverlayAxis axis_of(const Run& before, const Run& after, const std::optional<OverlayAxis>& wanted) {
  const bool have_steps = knows_steps(before) && knows_steps(after);
  if (!wanted) return have_steps ? OverlayAxis::step : OverlayAxis::event;
  for (const Run* run : {&before, &after}) {
    if (*wanted == OverlayAxis::time && !run->events[0].time_us)
      throw UsageError(
          fmt::format("the events {} have no times (PyTorch writes them since 2.2): use --axis event", run->side));
    if (*wanted == OverlayAxis::step && !knows_steps(*run))
      throw UsageError(
          fmt::format("the steps {} are unknown: set where they begin with --steps, or use --axis event", run->side));
  }
  return *wanted;
}

/// Returns the places of events on the axis, ascending; omits events before the first step.
class AxisPlaces {
public:
  AxisPlaces(const Run& run, OverlayAxis axis) : run_(run), axis_(axis) {}

  /// Nothing before the first step.
  [[nodiscard]] std::optional<double> of(std::size_t event) {
    if (axis_ == OverlayAxis::event) return static_cast<double>(event);
    if (axis_ == OverlayAxis::time) {
      const std::int64_t first = run_.events[0].time_us.value_or(0);
      const std::int64_t since = saturating_difference(run_.events[event].time_us.value_or(first), first);
      return last_ = std::max(last_, static_cast<double>(since));
    }
    const auto& rows = run_.steps.rows;
    while (next_ < rows.size() && rows[next_].first_event <= event)
      ++next_;
    if (next_ == 0) return std::nullopt;
    const StepFigures& step = rows[next_ - 1];
    const double part =
        static_cast<double>(event - step.first_event) / static_cast<double>(std::max<std::uint64_t>(step.events, 1));
    return static_cast<double>(run_.steps.steps.left_out + next_ - 1) + part;
  }

private:
  const Run& run_;
  OverlayAxis axis_;
  std::size_t next_ = 0;
  double last_ = 0; ///< times of damaged files may run backward
};

double length_of(const Run& run, OverlayAxis axis) {
  if (axis == OverlayAxis::step) return static_cast<double>(run.steps.steps.left_out + run.steps.rows.size());
  if (axis == OverlayAxis::event) return static_cast<double>(run.events.size());
  AxisPlaces places(run, axis);
  double length = 0;
  for (std::size_t i = 0; i < run.events.size(); ++i)
    length = places.of(i).value_or(length);
  return length;
}

class Curve {
public:
  Curve(double length, std::size_t columns) : per_unit_(static_cast<double>(columns) / length), most_(columns - 1) {}

  void add(double place, std::uint64_t before_bytes, std::uint64_t after_bytes) {
    const auto column = std::min(static_cast<std::size_t>(place * per_unit_), most_);
    while (columns_.size() <= column)
      columns_.push_back({before_bytes, before_bytes});
    LiveSpan& span = columns_[column];
    span.low_bytes = std::min({span.low_bytes, before_bytes, after_bytes});
    span.high_bytes = std::max({span.high_bytes, before_bytes, after_bytes});
  }
  [[nodiscard]] std::vector<LiveSpan> take() { return std::move(columns_); }

private:
  double per_unit_;
  std::size_t most_;
  std::vector<LiveSpan> columns_;
};

OverlaySide side_of(const Run& run, const Overlay& overlay) {
  const auto live_of = [](std::int64_t bytes) { return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes); };
  OverlaySide side{.device = run.state.device,
                   .device_kind = run.state.device_kind,
                   .events = run.events.size(),
                   .steps = run.steps.steps.left_out + run.steps.rows.size(),
                   .peak_bytes = run.state.figures.peak_requested_bytes,
                   .end_bytes = run.state.figures.end_requested_bytes};
  const auto first = run.events[0].time_us;
  const auto last = run.events[run.events.size() - 1].time_us;
  if (first && last && *first <= *last)
    side.duration_us = static_cast<std::uint64_t>(saturating_difference(*last, *first));
  Curve curve(overlay.length, overlay.columns);
  AxisPlaces places(run, overlay.axis);
  auto live = static_cast<std::int64_t>(run.state.figures.baseline_bytes);
  for (std::size_t i = 0; i < run.events.size(); ++i) {
    const std::int64_t was = live;
    const auto bytes = static_cast<std::int64_t>(run.events.size_bytes(i));
    if (run.events.action(i) == Action::alloc) live += bytes;
    if (run.events.action(i) == Action::free_completed) live -= bytes;
    if (const auto place = places.of(i)) curve.add(*place, live_of(was), live_of(live));
  }
  side.columns = curve.take();
  return side;
}

std::optional<std::size_t> most_different(const Overlay& overlay) {
  std::optional<std::size_t> most;
  std::uint64_t most_bytes = 0;
  const std::size_t both = std::min(overlay.before.columns.size(), overlay.after.columns.size());
  for (std::size_t i = 0; i < both; ++i) {
    const std::uint64_t one = overlay.before.columns[i].high_bytes;
    const std::uint64_t other = overlay.after.columns[i].high_bytes;
    const std::uint64_t difference = std::max(one, other) - std::min(one, other);
    if (difference <= most_bytes) continue;
    most_bytes = difference;
    most = i;
  }
  return most;
}

} // namespace

Overlay overlay_of(const MemoryState& before, const MemoryState& after, const OverlayOptions& options) {
  const Run one = run_of(before, options, "before");
  const Run other = run_of(after, options, "after");
  Overlay overlay;
  overlay.axis = axis_of(one, other, options.axis);
  overlay.length = std::max({length_of(one, overlay.axis), length_of(other, overlay.axis), 1.0});
  overlay.columns = std::max<std::size_t>(options.columns, 1);
  overlay.before = side_of(one, overlay);
  overlay.after = side_of(other, overlay);
  overlay.most = most_different(overlay);
  return overlay;
}

} // namespace memviz
