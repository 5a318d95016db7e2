#include "export/gauge_json.hpp"

#include "export/device_json.hpp"

namespace memviz {

namespace {

void write_gauges(JsonWriter& json, std::string_view name, const std::vector<Gauge>& gauges) {
  json.key(name).begin_array();
  for (const Gauge gauge : gauges)
    json.value(gauge_name(gauge));
  json.end_array();
}

void write_exceeded(JsonWriter& json, const GateVerdict& verdict) {
  json.key("exceeded").begin_array();
  for (const GaugeGrowth& growth : verdict.exceeded) {
    json.begin_object().member("gauge", gauge_name(growth.gauge));
    write_device_key(json, growth.device)
        .member("before_bytes", growth.before_bytes)
        .member("after_bytes", growth.after_bytes)
        .member("growth_bytes", growth.bytes())
        .end_object();
  }
  json.end_array();
}

} // namespace

void write_reading(JsonWriter& json, std::string_view name, const Reading& reading) {
  json.key(name).begin_object().member("before", reading.before_bytes).member("after", reading.after_bytes);
  json.key("change");
  if (reading.is_known())
    json.value(reading.change_bytes());
  else
    json.value(nullptr);
  json.end_object();
}

void write_readings(JsonWriter& json, const DeviceReadings& readings) {
  write_reading(json, "peak_requested_bytes", readings.of(Gauge::peak));
  write_reading(json, "end_requested_bytes", readings.of(Gauge::end));
  write_reading(json, "end_reserved_bytes", readings.of(Gauge::reserved));
}

void write_judgement(JsonWriter& json, const GateVerdict& verdict) {
  write_gauges(json, "judged", verdict.judged);
  write_gauges(json, "unknown", verdict.unknown);
  json.member("passed", verdict.is_passed());
  write_exceeded(json, verdict);
}

} // namespace memviz
