#include "export/json_text.hpp"
#include "export/line_json.hpp"
#include "export/stack_lines.hpp"
#include "export/text_limit.hpp"
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

Json frame_json(const FrameTable& frames, FrameId frame) {
  return {
      {"name", frames.name(frame)}, {"file", frames.filename(frame)}, {"line", line_json(frames.frame(frame).line)}};
}

Json steps_json(const Steps& steps) {
  Json result;
  result["source"] = source_name(steps.source);
  if (steps.source == StepSource::annotation) result["annotation"] = steps.name;
  if (steps.source == StepSource::repetition) result["anchors"] = steps.anchors;
  result["count"] = steps.starts.size();
  if (steps.source == StepSource::annotation) result["marks"] = steps.marks;
  result["left_out"] = steps.left_out;
  result["start_events"] = steps.starts;
  if (!steps.note.empty()) result["note"] = steps.note;
  return result;
}

/// Without its lists of stacks.
Json device_json(const DeviceLeaks& leaks) {
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
  return result;
}

/// A line a stack, each turned to text at once: as JSON values deep stacks would need a hundred times their file.
class LeaksJson {
public:
  LeaksJson(const MemoryState& state, const std::string& file)
      : frames_(state.frames()), lines_(state.frames()),
        limit_(state.recording->origin.size_bytes, "--device or -o make less"), text_("{\n  \"file\": " + line(file)) {
    text_ += ",\n  \"devices\": [";
  }

  void add(const DeviceLeaks& leaks);
  [[nodiscard]] std::string finish(const std::vector<std::string>& warnings) {
    text_ += "\n  ],\n  \"warnings\": " + line(warnings) + "\n}\n";
    return std::move(text_);
  }

private:
  [[nodiscard]] static std::string line(const Json& value) { return json_text(value, -1); }
  /// An object that goes on.
  void open(const Json& object) {
    text_ += line(object);
    text_.pop_back();
  }
  void add_list(std::string_view name, const std::vector<StackGrowth>& growths);
  void add_frames(StackId stack);
  [[nodiscard]] Json growth_json(const StackGrowth& growth);

  const FrameTable& frames_;
  StackLines lines_;
  TextLimit limit_;
  std::string text_;
  bool has_devices_ = false;
};

void LeaksJson::add(const DeviceLeaks& leaks) {
  text_ += has_devices_ ? ",\n    " : "\n    ";
  has_devices_ = true;
  limit_.add(leaks.steps.name.size());
  open(device_json(leaks));
  add_list("grows", leaks.grows);
  if (leaks.doubt != Doubt::none) {
    text_ += ", \"doubtful\": ";
    open({{"reason", doubt_name(leaks.doubt)}});
    add_list("stacks", leaks.doubtful);
    text_ += '}';
  }
  add_list("late_frees", leaks.late_frees);
  add_list("stopped", leaks.stopped);
  text_ += '}';
}

void LeaksJson::add_list(std::string_view name, const std::vector<StackGrowth>& growths) {
  text_ += ", \"";
  text_ += name;
  text_ += "\": [";
  for (std::size_t i = 0; i < growths.size(); ++i) {
    text_ += i == 0 ? "\n      " : ",\n      ";
    open(growth_json(growths[i]));
    add_frames(growths[i].stack);
    text_ += '}';
  }
  text_ += ']';
}

void LeaksJson::add_frames(StackId stack) {
  text_ += ", \"frames\": [";
  bool is_first = true;
  for (const FrameId frame : frames_.stack(stack)) {
    const std::string frame_text = line(frame_json(frames_, frame));
    limit_.add(frame_text.size());
    if (!is_first) text_ += ", ";
    is_first = false;
    text_ += frame_text;
  }
  text_ += ']';
}

Json LeaksJson::growth_json(const StackGrowth& growth) {
  Json result;
  result["line"] = lines_.line(growth.stack);
  limit_.add(lines_.line(growth.stack).size());
  if (frames_.stack(growth.stack).empty()) result["block_bytes"] = growth.size_bytes;
  const Trend& trend = growth.trend;
  result["bytes_per_step"] = std::llround(trend.bytes_per_step);
  result["growth_bytes"] = static_cast<std::int64_t>(growth.last_bytes) - static_cast<std::int64_t>(growth.first_bytes);
  result["rises"] = trend.rises;
  result["falls"] = trend.falls;
  result["last_rise_step"] = trend.last_rise;
  if (trend.kind == TrendKind::grows) {
    result["seen_steps"] = growth.seen_steps;
    result["of_steps"] = growth.of_steps;
    result["first_step"] = trend.first_step;
    result["confidence_word"] = confidence_word(trend.confidence);
    result["sign"] = growth.sign == GrowthSign::floor ? "floor" : "survivors";
  }
  result["end_bytes"] = growth.end_bytes;
  result["end_blocks"] = growth.end_blocks;
  if (trend.kind == TrendKind::late_frees) {
    const StackId freed_by = growth.burst.stack;
    result["largest_free"] = {
        {"step", growth.burst.step}, {"bytes", growth.burst.bytes}, {"blocks", growth.burst.blocks}};
    if (!frames_.stack(freed_by).empty()) result["largest_free"]["line"] = lines_.line(freed_by);
  }
  if (!growth.floor_bytes.empty()) {
    result["floor_bytes"] = growth.floor_bytes;
    result["start_bytes"] = growth.start_bytes;
    result["survivor_bytes"] = growth.survivor_bytes;
  }
  return result;
}

} // namespace

std::string leaks_json(const std::string& file, const MemoryState& state, const std::vector<DeviceLeaks>& devices,
                       const std::vector<std::string>& warnings) {
  LeaksJson json(state, file);
  for (const DeviceLeaks& leaks : devices)
    json.add(leaks);
  return json.finish(warnings);
}

} // namespace memviz
