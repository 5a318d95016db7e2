#pragma once

// Readings and limits of figures, in the JSON of comparisons.

#include "base/json_writer.hpp"
#include "memviz/gauges.hpp"

#include <string_view>
#include <vector>

namespace memviz {

/// Writes before, after and change, null if unknown.
void write_reading(JsonWriter& json, std::string_view name, const Reading& reading);
/// Writes the three figures of a device.
void write_readings(JsonWriter& json, const DeviceReadings& readings);
/// Writes which figures were judged and which are unknown, whether all passed, and those that grew by more than their
/// limit, with the device of each.
void write_judgement(JsonWriter& json, const GateVerdict& verdict);

} // namespace memviz
