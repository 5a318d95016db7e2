#include "memviz/gauges.hpp"

#include <algorithm>
#include <map>

namespace memviz {
namespace {

using BytesOfSide = std::optional<std::uint64_t> Reading::*;
using Found = std::map<DeviceId, DeviceReadings>;

DeviceReadings& readings_for(Found& found, DeviceId device) {
  DeviceReadings& readings = found[device];
  readings.device = device;
  return readings;
}

bool has_events(std::span<const DeviceState> devices) {
  return std::ranges::any_of(devices, [](const DeviceState& device_state) { return device_state.figures.events > 0; });
}

void add_side(Found& found, const GaugedSide& gauged, BytesOfSide side) {
  for (const DeviceState& device_state : gauged.devices) {
    DeviceReadings& readings = readings_for(found, device_state.device);
    readings.device_kind = device_state.device_kind;
    readings.of(Gauge::peak).*side = device_state.figures.peak_requested_bytes;
    readings.of(Gauge::end).*side = device_state.figures.end_requested_bytes;
  }
  for (const EndReserved& reserved : gauged.reserved)
    readings_for(found, reserved.device).of(Gauge::reserved).*side = reserved.bytes;
}

/// Treats missing figures as 0, except the peak of a file without events, which is unknown.
void complete(DeviceReadings& readings, BytesOfSide side, bool knows_peak) {
  for (Reading& reading : readings.readings)
    if (!(reading.*side)) reading.*side = 0;
  if (!knows_peak) readings.of(Gauge::peak).*side = std::nullopt;
}

} // namespace

std::string_view gauge_name(Gauge gauge) {
  constexpr std::array<std::string_view, kGauges.size()> kNames{"peak", "end", "reserved"};
  return kNames[static_cast<std::size_t>(gauge)];
}

std::int64_t Reading::change_bytes() const {
  return is_known() ? static_cast<std::int64_t>(*after_bytes - *before_bytes) : 0;
}

std::vector<DeviceReadings> readings_of(const GaugedSide& before, const GaugedSide& after) {
  Found found;
  add_side(found, before, &Reading::before_bytes);
  add_side(found, after, &Reading::after_bytes);
  const bool knows_peak_before = has_events(before.devices);
  const bool knows_peak_after = has_events(after.devices);
  std::vector<DeviceReadings> devices;
  for (auto& [device, readings] : found) {
    complete(readings, &Reading::before_bytes, knows_peak_before);
    complete(readings, &Reading::after_bytes, knows_peak_after);
    devices.push_back(readings);
  }
  return devices;
}

bool GrowthLimit::is_exceeded(std::uint64_t before_bytes, std::uint64_t after_bytes) const {
  constexpr double kWhole = 100;
  if (after_bytes <= before_bytes) return false;
  const std::uint64_t growth_bytes = after_bytes - before_bytes;
  if (!is_percent) return growth_bytes > bytes;
  // Exact for sizes below 2^53, so that growth by exactly the percentage does not exceed it.
  return static_cast<double>(growth_bytes) * kWhole > percent * static_cast<double>(before_bytes);
}

GateLimits limits_on(std::span<const Gauge> gauges, const GrowthLimit& limit) {
  GateLimits limits;
  limits.given = limit.given;
  for (const Gauge gauge : gauges)
    limits.of(gauge) = limit;
  return limits;
}

GateVerdict verdict_on(const std::vector<DeviceReadings>& devices, const GateLimits& limits) {
  GateVerdict verdict;
  verdict.limits = limits;
  for (const Gauge judged : kGauges) {
    const std::optional<GrowthLimit>& limit = limits.of(judged);
    if (!limit) continue;
    const bool is_known =
        std::ranges::all_of(devices, [&](const DeviceReadings& device) { return device.of(judged).is_known(); });
    (is_known ? verdict.judged : verdict.unknown).push_back(judged);
    std::optional<GaugeGrowth> worst;
    for (const DeviceReadings& device : devices) {
      const Reading& reading = device.of(judged);
      if (!reading.is_known() || !limit->is_exceeded(*reading.before_bytes, *reading.after_bytes)) continue;
      const GaugeGrowth growth{device.device, device.device_kind, judged, *reading.before_bytes, *reading.after_bytes};
      if (!worst || growth.bytes() > worst->bytes()) worst = growth;
    }
    if (worst) verdict.exceeded.push_back(*worst);
  }
  std::ranges::stable_sort(
      verdict.exceeded, [](const GaugeGrowth& one, const GaugeGrowth& other) { return one.bytes() > other.bytes(); });
  return verdict;
}

} // namespace memviz
