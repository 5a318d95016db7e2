#pragma once

// Readings and limits of figures, as JSON of comparisons has them.

#include "base/json_writer.hpp"
#include "memviz/gauges.hpp"

#include <string_view>
#include <vector>

namespace memviz {

/// Writes before, after and change, null where they are unknown.
void write_reading(JsonWriter& json, std::string_view name, const Reading& reading);
/// Writes the three figures of a device.
void write_readings(JsonWriter& json, const DeviceReadings& readings);
/// Writes an array of names.
void write_gauges(JsonWriter& json, std::string_view name, const std::vector<Gauge>& gauges);
/// Writes an array of the figures that grew by more than their limit, with the device of each.
void write_exceeded(JsonWriter& json, const GateVerdict& verdict);

} // namespace memviz
