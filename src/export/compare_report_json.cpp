#include "memviz/compare_report.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/device_json.hpp"
#include "export/gauge_json.hpp"
#include "export/moment_json.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/label.hpp"
#include "story/compare_words.hpp"

#include <variant>

namespace memviz {

namespace {

/// Rises when a name or a meaning changes; additions do not count.
constexpr int kSchemaVersion = 1;

void write_stats(JsonWriter& json, std::string_view name, const DeviceState& device_state) {
  json.key(name).begin_object().key("at");
  write_moment(json, device_state.moment);
  write_totals(json, device_state.figures).member("requested_bytes", device_state.figures.requested_bytes).end_object();
}

void write_kinds(JsonWriter& json, const std::vector<KindChange>& kinds) {
  json.key("kinds").begin_array();
  for (const KindChange& change : kinds)
    json.begin_object()
        .member("kind", kind_name(change.kind))
        .member("before_bytes", change.before_bytes)
        .member("after_bytes", change.after_bytes)
        .member("change_bytes", change.delta_bytes())
        .end_object();
  json.end_array();
}

void write_devices(JsonWriter& json, const Comparison& comparison) {
  json.key("devices").begin_array();
  for (std::size_t i = 0; i < comparison.readings.size(); ++i) {
    const DeviceReadings& readings = comparison.readings[i];
    write_device_key(json.begin_object(), readings.device);
    write_readings(json, readings);
    write_stats(json, "before", comparison.devices[i].before);
    write_stats(json, "after", comparison.devices[i].after);
    write_kinds(json, comparison.devices[i].kinds);
    json.end_object();
  }
  json.end_array();
}

/// Writes members of an open object.
void begin_change(JsonWriter& json, const Comparison& comparison, const UserLineChange& line) {
  json.begin_object().member("line", node_label(comparison.frames, line.key));
  if (const auto* frame = std::get_if<FrameId>(&line.key)) {
    json.member("function", comparison.frames.name(*frame))
        .member("file", comparison.frames.filename(*frame))
        .member("line_number", comparison.frames.frame(*frame).line);
  }
  if (line.device) write_device_key(json, *line.device);
  json.member("before_bytes", line.change.before.bytes)
      .member("after_bytes", line.change.after.bytes)
      .member("change_bytes", line.change.delta_bytes())
      .member("before_blocks", line.change.before.blocks)
      .member("after_blocks", line.change.after.blocks);
}

void write_change(JsonWriter& json, const Comparison& comparison, const UserLineChange& line) {
  begin_change(json, comparison, line);
  if (!line.within.empty()) {
    json.key("within").begin_array();
    for (const UserLineChange& inner : line.within) {
      begin_change(json, comparison, inner);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

void write_segments(JsonWriter& json, std::string_view name, const std::vector<SegmentRef>& segments) {
  json.key(name).begin_array();
  for (const SegmentRef& segment : segments) {
    json.begin_object().member("address", std::to_string(segment.address)).member("bytes", segment.total_bytes);
    write_device_key(json, segment.device).member("stream", segment.stream).end_object();
  }
  json.end_array();
}

void write_verdict(JsonWriter& json, const CompareReport& report) {
  const GateVerdict& verdict = *report.verdict;
  json.key("gate").begin_object().member("limit", verdict.limits.given);
  write_judgement(json, verdict);
  json.key("lines").begin_array();
  for (const std::size_t line : verdict.lines)
    write_change(json, report.comparison, report.comparison.changes[line]);
  json.end_array().member("text", exceeded_text(report).value_or(passed_text(report))).end_object();
}

void write_environment(JsonWriter& json, const std::vector<EnvironmentChange>& changes) {
  json.key("environment").begin_array();
  for (const EnvironmentChange& change : changes)
    json.begin_object(JsonLayout::compact)
        .member("name", change.name)
        .member("before", change.before)
        .member("after", change.after)
        .end_object();
  json.end_array();
}

void write_step_change(JsonWriter& json, const StepChange& step) {
  json.begin_object(JsonLayout::compact)
      .member("step", step.step)
      .member("peak_before_bytes", step.before.peak_bytes)
      .member("peak_after_bytes", step.after.peak_bytes)
      .member("peak_change_bytes", step.peak_bytes())
      .member("end_before_bytes", step.before.end_bytes)
      .member("end_after_bytes", step.after.end_bytes)
      .member("end_change_bytes", step.end_bytes())
      .end_object();
}

void write_steps_of(JsonWriter& json, const std::vector<StepComparison>& devices) {
  json.key("steps").begin_array();
  for (const StepComparison& steps : devices) {
    write_device_key(json.begin_object(), steps.device)
        .member("text", steps_difference_text(steps, devices.size() > 1))
        .key("rows")
        .begin_array();
    for (const StepChange& step : steps.rows)
      write_step_change(json, step);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_side(JsonWriter& json, std::string_view name, const CompareSide& side) {
  json.key(name).begin_object().member("file", side.file).member("moment", side.moment).end_object();
}

} // namespace

std::string compare_json(const CompareReport& report) {
  const Comparison& comparison = report.comparison;
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.compare/1.1").member("schema_version", kSchemaVersion);
    write_side(json, "before", report.before);
    write_side(json, "after", report.after);
    write_devices(json, comparison);
    json.member("match", comparison.match == FrameMatch::line ? "line" : "function")
        .member("match_is_chosen", comparison.is_match_chosen)
        .member("moved_lines_bytes", comparison.moved_lines_bytes)
        .member("moved_files", comparison.moved_files)
        .key("changes")
        .begin_array();
    for (const UserLineChange& line : comparison.changes)
      write_change(json, comparison, line);
    json.end_array();
    write_segments(json, "only_before", comparison.only_before);
    write_segments(json, "only_after", comparison.only_after);
    json.member("segments_in_both", comparison.in_both.size()).member("two_processes", comparison.has_two_processes());
    write_environment(json, report.environment);
    if (report.steps) write_steps_of(json, *report.steps);
    if (report.verdict) write_verdict(json, report);
    json.member("warnings", report.warnings).end_object();
  });
}

} // namespace memviz
