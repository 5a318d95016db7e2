#include "timeline/timeline_charts.hpp"

#include "memviz/error.hpp"
#include "memviz/keeper_table.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace memviz::render {
namespace {

constexpr double kHeight = 420;          ///< of the only chart
constexpr double kMostHeight = 380;      ///< of one of several
constexpr double kClosedHeight = 260;    ///< of one that a click opens
constexpr double kEventlessHeight = 160; ///< of one in which nothing changes
constexpr double kTogetherHeight = 800;  ///< of several, approximately
constexpr double kLeastHeight = 56;
constexpr std::size_t kMostDevices = 8;
constexpr std::size_t kMostPlaces = 6; ///< streams and pools of all devices
constexpr std::size_t kMostLines = 12; ///< that have a strip
constexpr std::size_t kMostBands = 20'000;
constexpr std::size_t kUsualBands = 3'000;
constexpr std::size_t kMostSlices = 4'500;
constexpr std::size_t kFewestSlices = 300;
constexpr std::uint32_t kLaneRows = 4;
/// The approximate bytes of SVG per step of a band.
constexpr std::size_t kStepBytes = 16;

const DeviceState& stats_at(const MemoryState& state, DeviceId device) {
  const DeviceState* const device_state = state.device_at(device);
  if (device_state == nullptr) throw Error(fmt::format("device {} is not in the snapshot", device_word(device)));
  return *device_state;
}

/// Returns the devices to draw: those that ran out of memory first, then by peak; devices without events only if no
/// device has any.
std::vector<const TimelineDevice*> drawn_devices(const TimelinePicture& picture) {
  std::vector<const TimelineDevice*> devices;
  for (const TimelineDevice& device : picture.devices)
    if (stats_at(picture.state, device.record.device).figures.peak_requested_bytes > 0 || device.record.events > 0)
      devices.push_back(&device);
  const bool has_events = std::ranges::any_of(devices, [](const auto* device) { return device->record.events > 0; });
  if (has_events) std::erase_if(devices, [](const TimelineDevice* device) { return device->record.events == 0; });
  std::ranges::stable_sort(devices, [&](const TimelineDevice* left, const TimelineDevice* right) {
    const DeviceState& before = stats_at(picture.state, left->record.device);
    const DeviceState& after = stats_at(picture.state, right->record.device);
    if ((before.figures.ooms > 0) != (after.figures.ooms > 0)) return before.figures.ooms > 0;
    return before.figures.peak_requested_bytes > after.figures.peak_requested_bytes;
  });
  if (devices.size() > kMostDevices) devices.resize(kMostDevices);
  return devices;
}

bool has_times(const DeviceRecord& record) {
  return record.events == 0 || !record.times_us().empty();
}

void check_axis(const std::vector<const TimelineDevice*>& devices, TimelineAxis axis) {
  const bool all_have = std::ranges::all_of(devices, [](const auto* device) { return has_times(device->record); });
  if (axis == TimelineAxis::time && !all_have)
    throw Error("the events have no times (PyTorch writes them since 2.2): use --axis event");
}

std::optional<EndKeepers> keepers_of(const TimelinePicture& picture) {
  const Recording& recording = *picture.state.recording;
  return recording.keepers.is_recorded ? std::optional<EndKeepers>(KeeperAnswers(recording)) : std::nullopt;
}

ColorBy color_of(const std::vector<const TimelineDevice*>& devices, const TimelineSvgOptions& options,
                 bool has_keepers) {
  const bool has_kinds = options.view != TimelineView::segments && std::ranges::all_of(devices, [](const auto* device) {
                           return device->record.kinds.has_value();
                         });
  if (options.color == ColorBy::keeper) return has_keepers ? ColorBy::keeper : ColorBy::line;
  return options.color == ColorBy::kind && !has_kinds ? ColorBy::line : options.color;
}

/// Returns the highest value that must be visible.
std::uint64_t top_of(const Chart& chart) {
  std::uint64_t top = std::max<std::uint64_t>(1, chart.bands.slices[chart.bands.peak].live_bytes);
  for (const Step& step : chart.overlay.steps)
    if (step.state <= chart.device.window.last && step.state >= chart.overlay.from) top = std::max(top, step.bytes);
  if (const auto bytes = overlay_at(chart.overlay, chart.device.window.first)) top = std::max(top, *bytes);
  const auto capacity = capacity_of(chart.device);
  // A line far above everything else would flatten the rest.
  return capacity && capacity->bytes < 2 * top ? std::max(top, capacity->bytes) : top;
}

std::uint64_t range_of(const BandChart& chart) {
  std::uint64_t lowest = chart.slices.front().baseline_bytes;
  for (const Slice& slice : chart.slices)
    lowest = std::min(lowest, slice.baseline_bytes);
  return chart.slices[chart.peak].live_bytes - lowest;
}

} // namespace

bool Detail::lower(double share) {
  if (bands == 0 && slices == kFewestSlices) return false;
  const double kept = std::clamp(share * 0.9, 0.2, 0.9);
  bands = bands < 20 ? 0 : static_cast<std::size_t>(static_cast<double>(bands) * kept);
  slices = std::max(kFewestSlices, static_cast<std::size_t>(static_cast<double>(slices) * std::sqrt(kept)));
  return true;
}

Detail first_detail(const TimelineSvgOptions& options) {
  return {std::min(options.detail.value_or(kUsualBands), kMostBands), kMostSlices, options.max_bytes / kStepBytes};
}

std::string home_text(const Home& home) {
  std::string text = fmt::format("stream {}", home.stream);
  if (home.pool && home.pool->is_private())
    text += fmt::format(", private pool ({},{})", home.pool->first, home.pool->second);
  return text;
}

std::optional<std::uint64_t> overlay_at(const OverlayLine& overlay, std::uint32_t state) {
  if (state < overlay.from) return std::nullopt;
  const auto after = std::upper_bound(overlay.steps.begin(), overlay.steps.end(), state,
                                      [](std::uint32_t wanted, const Step& step) { return wanted < step.state; });
  return after == overlay.steps.begin() ? std::nullopt : std::optional(std::prev(after)->bytes);
}

std::optional<Capacity> capacity_of(const TimelineDevice& device) {
  const DeviceRecord& record = device.record;
  const OverlayLine reserved{"reserved", record.reserved, record.reserved_known_from};
  for (auto mark = record.marks.rbegin(); mark != record.marks.rend(); ++mark) {
    if (mark->kind != MarkKind::oom || mark->state < device.window.first || mark->state > device.window.last) continue;
    const auto bytes = overlay_at(reserved, mark->state);
    // If CUDA could not report the free memory, the file has a number near 2^64.
    if (!bytes || mark->free_bytes > kMaxTotalBytes) continue;
    return Capacity{*bytes + mark->free_bytes, &*mark};
  }
  return std::nullopt;
}

Charts::Charts(const TimelinePicture& picture, const TimelineSvgOptions& options)
    : picture_(picture), options_(options), axis_(options.axis), keepers_(keepers_of(picture)),
      lines_(picture.state, options.color == ColorBy::keeper ? keepers() : nullptr), lines_of_code_(picture.state) {
  const std::vector<const TimelineDevice*> devices = drawn_devices(picture);
  check_axis(devices, axis_);
  color_ = color_of(devices, options, keepers_.has_value());
  for (const TimelineDevice* device : devices) {
    if (options.view == TimelineView::pools)
      add_places(*device);
    else
      add(*device);
  }
  for (Chart& chart : charts_)
    measure(chart);
  if (charts_.size() > 1) share_scale();
  if (devices.size() > 1 && axis_ == TimelineAxis::time) share_clock();
}

void Charts::add(const TimelineDevice& device) {
  charts_.push_back(
      {.device = device,
       .device_state = stats_at(picture_.state, device.record.device),
       .kind = options_.view == TimelineView::segments ? TimelineKind::segments : TimelineKind::allocations});
}

/// Each device has at least one, for all its streams and pools.
void Charts::add_places(const TimelineDevice& device) {
  const std::size_t room = kMostPlaces - std::min(kMostPlaces - 1, charts_.size());
  std::vector<DeviceRecord> records = split_by_home(picture_.state, device.record, room);
  if (records.empty()) return add(device); // nothing was live, but something may have happened
  for (DeviceRecord& record : records) {
    record.marks = device.record.marks;
    for (Mark& mark : record.marks)
      mark.free_bytes = std::numeric_limits<std::uint64_t>::max(); // of the device, not of a single pool
    const std::string place = record.homes.size() == 1 ? home_text(record.homes.front())
                                                       : fmt::format("{} more streams and pools", record.homes.size());
    places_.push_back({std::move(record), device.window});
    charts_.push_back(
        {.device = places_.back(), .device_state = stats_at(picture_.state, device.record.device), .place = place});
  }
}

/// Computes everything that does not depend on how much is drawn.
void Charts::measure(Chart& chart) {
  const DeviceRecord& record = chart.device.record;
  TimelineOptions options{.kind = chart.kind, .axis = axis_, .most_bands = 0, .most_slices = kMostSlices};
  chart.bands = chart_bands(record, chart.device.window, options);
  chart.holders = holders_at(picture_.state.frames(), lines_of_code_, record, chart.kind,
                             chart.bands.slices[chart.bands.peak].state);
  if (color_ == ColorBy::keeper)
    chart.keepers =
        holders_at(picture_.state.frames(), lines_, record, chart.kind, chart.bands.slices[chart.bands.peak].state);
  if (&chart == &charts_.front()) {
    chart.lane = annotation_lane(*picture_.state.recording, record, kLaneRows);
    chart.steps = timeline_steps(*picture_.state.recording, record, chart.device.window);
  }
  chart.overlay = {"reserved", record.reserved, record.reserved_known_from};
  if (chart.kind == TimelineKind::segments) {
    options.kind = TimelineKind::allocations;
    chart.overlay = {"live", live_steps(chart_bands(record, chart.device.window, options)), 0};
  }
  chart.is_closed = record.device != charts_.front().device.record.device;
  const double height = chart.is_closed ? kClosedHeight : kHeight;
  chart.height = record.events == 0 ? kEventlessHeight : height;
  chart.top_bytes = top_of(chart);
  chart.range = axis_range(record, axis_, chart.device.window);
}

/// All charts of the main device have the same scale of bytes.
void Charts::share_scale() {
  double together_bytes = 0;
  double most_bytes = 1;
  std::size_t open = 0;
  for (const Chart& chart : charts_) {
    if (chart.is_closed) continue;
    ++open;
    together_bytes += static_cast<double>(chart.top_bytes);
    most_bytes = std::max(most_bytes, static_cast<double>(chart.top_bytes));
  }
  if (open < 2) return;
  const double per_byte = std::min((kMostHeight - kRoomAbove) / most_bytes, kTogetherHeight / together_bytes);
  for (Chart& chart : charts_) {
    if (chart.is_closed) continue;
    const double wanted = static_cast<double>(chart.top_bytes) * per_byte + kRoomAbove;
    chart.height = std::max(kLeastHeight, std::ceil(wanted));
    chart.top_bytes = static_cast<std::uint64_t>((chart.height - kRoomAbove) / per_byte);
    chart.is_alone = false;
  }
}

/// Times count from the first event of all charts; each chart covers the time of its own events.
void Charts::share_clock() {
  std::vector<Chart*> timed;
  for (Chart& chart : charts_)
    if (chart.device.record.events > 0) timed.push_back(&chart);
  if (timed.empty()) return;
  const auto first_of = [](const Chart* chart) { return chart->device.record.times_us().front(); };
  const std::int64_t first = first_of(*std::ranges::min_element(
      timed, [&](const Chart* left, const Chart* right) { return first_of(left) < first_of(right); }));
  for (Chart* chart : timed) {
    // Subtracted as unsigned numbers: the times are untrusted, and may be further apart than a signed number can
    // represent.
    chart->range.offset =
        static_cast<double>(static_cast<std::uint64_t>(first_of(chart)) - static_cast<std::uint64_t>(first));
    chart->range.begin += chart->range.offset;
    chart->range.end += chart->range.offset;
  }
}

void Charts::make(const Detail& detail) {
  for (Chart& chart : charts_)
    make(chart, detail);
}

void Charts::make(Chart& chart, const Detail& detail) {
  const bool is_main = &chart == &charts_.front();
  const DeviceRecord& record = chart.device.record;
  TimelineOptions options;
  options.kind = chart.kind;
  options.axis = axis_;
  options.most_slices = is_main ? detail.slices : std::max(kFewestSlices, detail.slices / 2);
  options.most_bands = is_main ? detail.bands : detail.bands / 4;
  options.by_kind = color_ == ColorBy::kind;
  // Without a given number, invisible bands are left to the strips.
  if (!options_.detail) {
    const std::uint64_t range = chart.is_alone && !options.by_kind ? range_of(chart.bands) : chart.top_bytes;
    options.least_bytes = static_cast<std::uint64_t>(static_cast<double>(range) / chart.height * 0.4);
  }
  chart.bands = chart_bands(record, chart.device.window, options);
  chart.strips = chart_strips(lines_, record, chart.bands, chart.kind, kMostLines);
}

} // namespace memviz::render
