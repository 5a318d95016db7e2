#include "export/json_text.hpp"
#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "memviz/leaks.hpp"

#include <cmath>

namespace memviz {

namespace {

using Json = nlohmann::ordered_json;

std::string_view source_name(StepSource source) {
  switch (source) {
  case StepSource::none: return "none";
  case StepSource::annotation: return "annotation";
  case StepSource::repetition: return "repetition";
  case StepSource::events: return "events";
  case StepSource::time: return "time";
  }
  return "none";
}

std::string_view doubt_name(Doubt doubt) {
  switch (doubt) {
  case Doubt::none: return "none";
  case Doubt::one_pass: return "one pass";
  case Doubt::loading: return "loading";
  case Doubt::offset: return "offset";
  }
  return "none";
}

Json growth_json(const FrameTable& frames, UserLineFinder& lines, const StackGrowth& growth, std::size_t steps) {
  Json result;
  const bool has_stack = !frames.stack(growth.stack).empty();
  result["line"] = has_stack ? node_label(frames, lines.line_of(growth.stack)) : "";
  if (!has_stack) result["block_bytes"] = growth.size_bytes;
  const Trend& trend = growth.trend;
  result["bytes_per_step"] = std::llround(trend.bytes_per_step);
  result["growth_bytes"] = growth.growth_bytes();
  result["rises"] = trend.rises;
  result["falls"] = trend.falls;
  result["last_rise_step"] = trend.last_rise;
  if (trend.kind == TrendKind::grows) {
    result["confidence"] = trend.confidence;
    result["confidence_word"] = confidence_word(trend.confidence, steps);
  }
  result["end_bytes"] = growth.end_bytes;
  result["end_blocks"] = growth.end_blocks;
  if (trend.kind == TrendKind::late_frees) {
    const StackId freed_by = growth.burst.stack;
    result["largest_free"] = {
        {"step", growth.burst.step}, {"bytes", growth.burst.bytes}, {"blocks", growth.burst.blocks}};
    if (!frames.stack(freed_by).empty()) result["largest_free"]["line"] = node_label(frames, lines.line_of(freed_by));
  }
  result["floor_bytes"] = growth.floor_bytes;
  result["start_bytes"] = growth.start_bytes;
  result["frames"] = Json::array();
  for (const FrameId frame : frames.stack(growth.stack))
    result["frames"].push_back(
        {{"name", frames.name(frame)}, {"file", frames.filename(frame)}, {"line", frames.frame(frame).line}});
  return result;
}

Json steps_json(const Steps& steps) {
  Json result;
  result["source"] = source_name(steps.source);
  if (steps.source == StepSource::annotation) result["annotation"] = steps.name;
  if (steps.source == StepSource::repetition) result["anchors"] = steps.anchors;
  result["count"] = steps.starts.size();
  result["left_out"] = steps.left_out;
  result["start_events"] = steps.starts;
  if (!steps.note.empty()) result["note"] = steps.note;
  return result;
}

Json device_json(const FrameTable& frames, const DeviceLeaks& leaks) {
  UserLineFinder lines(frames);
  Json result;
  result["device"] = leaks.device;
  result["events"] = leaks.events;
  result["steps"] = steps_json(leaks.steps);
  result["stacks"] = leaks.stacks;
  result["bytes_per_step"] = leaks.bytes_per_step();
  if (leaks.capacity_bytes) {
    result["capacity_bytes"] = *leaks.capacity_bytes;
    result["capacity_source"] = leaks.capacity_source == CapacitySource::given ? "given" : "oom";
  }
  if (const auto left = leaks.steps_left()) result["steps_left"] = *left;
  result["floor_bytes"] = leaks.floor_bytes;
  result["peak_bytes"] = leaks.peak_bytes;
  const auto list = [&](const std::vector<StackGrowth>& growths) {
    Json items = Json::array();
    for (const StackGrowth& growth : growths)
      items.push_back(growth_json(frames, lines, growth, leaks.steps.starts.size()));
    return items;
  };
  result["grows"] = list(leaks.grows);
  if (leaks.doubt != Doubt::none)
    result["doubtful"] = {{"reason", doubt_name(leaks.doubt)}, {"stacks", list(leaks.doubtful)}};
  result["late_frees"] = list(leaks.late_frees);
  result["stopped"] = list(leaks.stopped);
  return result;
}

} // namespace

std::string leaks_json(const std::string& file, const Snapshot& snapshot, const std::vector<DeviceLeaks>& devices,
                       const std::vector<std::string>& warnings) {
  Json result;
  result["file"] = file;
  result["devices"] = Json::array();
  for (const DeviceLeaks& leaks : devices)
    result["devices"].push_back(device_json(snapshot.frames, leaks));
  result["warnings"] = warnings;
  return json_text(result, 2) + '\n';
}

} // namespace memviz
