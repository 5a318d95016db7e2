#include "memviz/compare_report.hpp"

#include "export/compare_words.hpp"
#include "export/json_text.hpp"
#include "export/moment_json.hpp"
#include "memviz/label.hpp"

namespace memviz {

namespace {

using Json = nlohmann::ordered_json;

/// Raised when a name or a meaning changes; what is added does not count.
constexpr int kSchemaVersion = 1;

Json known(const std::optional<std::uint64_t>& bytes) {
  return bytes ? Json(*bytes) : Json(nullptr);
}

Json reading_json(const Reading& reading) {
  return {{"before", known(reading.before_bytes)},
          {"after", known(reading.after_bytes)},
          {"change", reading.is_known() ? Json(reading.change_bytes()) : Json(nullptr)}};
}

Json stats_json(const DeviceStats& stats) {
  return {{"at", moment_json(stats.at)},
          {"reserved_bytes", stats.reserved_bytes},
          {"allocated_bytes", stats.allocated_bytes},
          {"pending_free_bytes", stats.pending_free_bytes},
          {"inactive_bytes", stats.inactive_bytes},
          {"requested_bytes", stats.requested_bytes}};
}

Json devices_json(const Comparison& comparison) {
  Json devices = Json::array();
  for (std::size_t i = 0; i < comparison.readings.size(); ++i) {
    const DeviceReadings& readings = comparison.readings[i];
    devices.push_back({{"device", readings.device},
                       {"peak_requested_bytes", reading_json(readings.of(Gauge::peak))},
                       {"end_requested_bytes", reading_json(readings.of(Gauge::end))},
                       {"end_reserved_bytes", reading_json(readings.of(Gauge::reserved))},
                       {"before", stats_json(comparison.devices[i].before)},
                       {"after", stats_json(comparison.devices[i].after)}});
  }
  return devices;
}

Json change_json(const Comparison& comparison, const UserLineChange& line) {
  Json result{{"line", node_label(comparison.frames, line.key)}};
  if (line.key.kind == NodeKind::frame) {
    const FrameId frame = line.key.frame();
    result["function"] = comparison.frames.name(frame);
    result["file"] = comparison.frames.filename(frame);
    result["line_number"] = comparison.frames.frame(frame).line;
  }
  if (line.device) result["device"] = *line.device;
  result["before_bytes"] = line.change.before.bytes;
  result["after_bytes"] = line.change.after.bytes;
  result["change_bytes"] = line.change.delta_bytes();
  result["before_blocks"] = line.change.before.blocks;
  result["after_blocks"] = line.change.after.blocks;
  return result;
}

Json segments_json(const std::vector<SegmentRef>& segments) {
  Json result = Json::array();
  for (const SegmentRef& segment : segments)
    result.push_back({{"address", std::to_string(segment.address)},
                      {"bytes", segment.total_bytes},
                      {"device", segment.device},
                      {"stream", segment.stream}});
  return result;
}

Json gauges_json(const std::vector<Gauge>& gauges) {
  Json result = Json::array();
  for (const Gauge gauge : gauges)
    result.push_back(gauge_name(gauge));
  return result;
}

Json verdict_json(const CompareReport& report) {
  const GateVerdict& verdict = *report.verdict;
  Json exceeded = Json::array();
  for (const GaugeGrowth& growth : verdict.exceeded)
    exceeded.push_back({{"gauge", gauge_name(growth.gauge)},
                        {"device", growth.device},
                        {"before_bytes", growth.before_bytes},
                        {"after_bytes", growth.after_bytes},
                        {"growth_bytes", growth.bytes()}});
  return {{"limit", verdict.limit.given},
          {"judged", gauges_json(verdict.judged)},
          {"unknown", gauges_json(verdict.unknown)},
          {"passed", verdict.exceeded.empty()},
          {"exceeded", std::move(exceeded)},
          {"text", exceeded_text(report).value_or(passed_text(report))}};
}

} // namespace

std::string compare_json(const CompareReport& report) {
  const Comparison& comparison = report.comparison;
  Json result{{"schema_version", kSchemaVersion}};
  result["before"] = {{"file", report.before.file}, {"moment", report.before.moment}};
  result["after"] = {{"file", report.after.file}, {"moment", report.after.moment}};
  result["devices"] = devices_json(comparison);
  result["match"] = comparison.match == FrameMatch::line ? "line" : "function";
  result["match_is_chosen"] = comparison.is_match_chosen;
  result["moved_lines_bytes"] = comparison.moved_lines_bytes;
  result["moved_files"] = comparison.moved_files;
  result["changes"] = Json::array();
  for (const UserLineChange& line : comparison.changes)
    result["changes"].push_back(change_json(comparison, line));
  result["only_before"] = segments_json(comparison.only_before);
  result["only_after"] = segments_json(comparison.only_after);
  result["segments_in_both"] = comparison.in_both.size();
  if (report.verdict) result["gate"] = verdict_json(report);
  result["warnings"] = report.warnings;
  return json_text(result, 2) + '\n';
}

} // namespace memviz
