#include "timeline/timeline_charts.hpp"

#include "memviz/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace memviz::render {
namespace {

constexpr double kMainHeight = 420;
constexpr double kOtherHeight = 170;
constexpr double kMainPlaceHeight = 260;
constexpr double kPlaceHeight = 120;
constexpr std::size_t kMostCharts = 16;
constexpr std::size_t kMostBands = 20'000;
constexpr std::size_t kUsualBands = 3'000;
constexpr std::size_t kMostSlices = 4'500;
constexpr std::size_t kFewestSlices = 300;
constexpr std::uint32_t kLaneRows = 4;
/// A step of a band takes about this many bytes of SVG.
constexpr std::size_t kStepBytes = 16;

const DeviceStats& stats_of(const Replay& accounts, std::uint32_t device) {
  const auto found =
      std::lower_bound(accounts.devices.begin(), accounts.devices.end(), device,
                       [](const DeviceStats& stats, std::uint32_t wanted) { return stats.device < wanted; });
  if (found == accounts.devices.end() || found->device != device)
    throw Error(fmt::format("device {} is not in the snapshot", device));
  return *found;
}

/// Those that ran out of memory come first, then the largest peaks; what has no events is drawn only where nothing has
/// any.
std::vector<const TimelineDevice*> drawn_devices(const TimelinePicture& picture) {
  std::vector<const TimelineDevice*> devices;
  for (const TimelineDevice& device : picture.devices)
    if (stats_of(picture.accounts, device.record.device).peak_requested_bytes > 0 || device.record.events > 0)
      devices.push_back(&device);
  const bool has_events =
      std::any_of(devices.begin(), devices.end(), [](const auto* device) { return device->record.events > 0; });
  if (has_events) std::erase_if(devices, [](const TimelineDevice* device) { return device->record.events == 0; });
  std::stable_sort(devices.begin(), devices.end(), [&](const TimelineDevice* left, const TimelineDevice* right) {
    const DeviceStats& before = stats_of(picture.accounts, left->record.device);
    const DeviceStats& after = stats_of(picture.accounts, right->record.device);
    if ((before.ooms > 0) != (after.ooms > 0)) return before.ooms > 0;
    return before.peak_requested_bytes > after.peak_requested_bytes;
  });
  if (devices.size() > kMostCharts) devices.resize(kMostCharts);
  return devices;
}

std::uint64_t most_reserved(const DeviceRecord& record) {
  std::uint64_t most = 0;
  for (const Step& step : record.reserved)
    most = std::max(most, step.bytes);
  return most;
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
  if (!home.pool) return text + ", pool unknown";
  if (home.pool->is_private()) text += fmt::format(", private pool ({},{})", home.pool->first, home.pool->second);
  return text;
}

Charts::Charts(const TimelinePicture& picture, const TimelineSvgOptions& options)
    : picture_(picture), options_(options) {
  for (const TimelineDevice* device : drawn_devices(picture)) {
    if (options.axis == TimelineAxis::time && device->record.events > 0 && device->record.times_us().empty())
      throw UsageError("the events have no times (PyTorch writes them since 2.2): use --axis event");
    if (options.view == TimelineView::pools)
      add_places(*device);
    else
      charts_.push_back(
          {.device = *device,
           .stats = stats_of(picture.accounts, device->record.device),
           .kind = options.view == TimelineView::segments ? TimelineKind::segments : TimelineKind::allocations,
           .height = charts_.empty() ? kMainHeight : kOtherHeight});
  }
}

void Charts::add_places(const TimelineDevice& device) {
  std::vector<DeviceRecord> records = split_by_home(picture_.snapshot, device.record);
  std::stable_sort(records.begin(), records.end(), [](const DeviceRecord& left, const DeviceRecord& right) {
    return most_reserved(left) > most_reserved(right);
  });
  for (DeviceRecord& record : records) {
    if (charts_.size() == kMostCharts) {
      ++places_left_out_;
      continue;
    }
    record.marks = device.record.marks;
    for (Mark& mark : record.marks)
      mark.free_bytes = std::numeric_limits<std::uint64_t>::max(); // of the device, not of one pool
    const std::string place = home_text(record.homes.front());
    places_.push_back({std::move(record), device.window});
    charts_.push_back({.device = places_.back(),
                       .stats = stats_of(picture_.accounts, device.record.device),
                       .place = place,
                       .height = charts_.empty() ? kMainPlaceHeight : kPlaceHeight});
  }
}

void Charts::make(const Detail& detail) {
  for (Chart& chart : charts_)
    make(chart, detail);
  is_first_ = false;
}

void Charts::make(Chart& chart, const Detail& detail) {
  const bool is_main = &chart == &charts_.front();
  const DeviceRecord& record = chart.device.record;
  TimelineOptions options;
  options.kind = chart.kind;
  options.axis = options_.axis;
  options.most_slices = is_main ? detail.slices : std::max(kFewestSlices, detail.slices / 2);
  if (is_first_) {
    options.most_bands = 0;
    chart.bands = chart_bands(record, chart.device.window, options);
    chart.holders = holders_at(picture_.snapshot, picture_.accounts, record, chart.kind,
                               chart.bands.slices[chart.bands.peak].state);
    if (is_main) chart.lane = annotation_lane(picture_.snapshot, record, kLaneRows);
    chart.overlay = {"reserved", record.reserved, record.reserved_known_from};
    if (chart.kind == TimelineKind::segments) {
      options.kind = TimelineKind::allocations;
      chart.overlay = {"live", live_steps(chart_bands(record, chart.device.window, options)), 0};
      options.kind = chart.kind;
    }
  }
  options.most_bands = is_main ? detail.bands : detail.bands / 4;
  // Without a number, what cannot be seen is left to the rest.
  if (!options_.detail)
    options.least_bytes = static_cast<std::uint64_t>(static_cast<double>(range_of(chart.bands)) / chart.height * 0.4);
  chart.bands = chart_bands(record, chart.device.window, options);
}

} // namespace memviz::render
