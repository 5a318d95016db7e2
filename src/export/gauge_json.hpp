#pragma once

// Figures on both sides of a comparison, and the verdict on their growth -> JSON.

#include "base/json_object.hpp"
#include "export/device_json.hpp"
#include "memviz/gauges.hpp"

#include <array>
#include <optional>
#include <string_view>

namespace memviz {

inline constexpr std::array<std::string_view, 2> kMatchWords{"line", "function"};
inline constexpr auto kNamedGauge = named(gauge_name, Gauge::peak, Gauge::reserved);

inline constexpr auto kReading = json_object<Reading>(
    {}, member("before", "Bytes; null if the file does not show them", &Reading::before_bytes),
    member("after", "Bytes; null if the file does not show them", &Reading::after_bytes),
    member("change", "after - before, bytes; null where one is unknown", [](const Reading& reading) {
      return reading.is_known() ? std::optional(reading.change_bytes()) : std::nullopt;
    }));

template <Gauge Of> [[nodiscard]] const Reading& reading_of(const DeviceReadings& readings) {
  return readings.of(Of);
}

inline constexpr auto kReadings = json_object<DeviceReadings>(
    {}, member("peak_requested_bytes", "Requested bytes at the peak", reading_of<Gauge::peak>, kReading),
    member("end_requested_bytes", "Requested bytes at the end", reading_of<Gauge::end>, kReading),
    member("end_reserved_bytes", "Reserved bytes at the end", reading_of<Gauge::reserved>, kReading));

inline constexpr auto kGaugeGrowth = json_object<GaugeGrowth>(
    {.meaning = "A figure that grew by more than its limit"},
    member("gauge", "Which", &GaugeGrowth::gauge, kNamedGauge), member("device", "", &GaugeGrowth::device, kDeviceForm),
    member("before_bytes", "Before", &GaugeGrowth::before_bytes),
    member("after_bytes", "After", &GaugeGrowth::after_bytes),
    member("growth_bytes", "After minus before, bytes; more than the limit allows", &GaugeGrowth::bytes));

inline constexpr auto kJudgement =
    json_object<GateVerdict>({}, member("judged", "Figures that were looked at", &GateVerdict::judged, kNamedGauge),
                             member("unknown", "Figures that a file does not show", &GateVerdict::unknown, kNamedGauge),
                             member("passed", "Whether all are within their limits", &GateVerdict::is_passed),
                             member("exceeded", "Figures that grew by more", &GateVerdict::exceeded, kGaugeGrowth));

} // namespace memviz
