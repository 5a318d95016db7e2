#include "base/json_writer.hpp"
#include "base/saturating.hpp"
#include "export/device_json.hpp"
#include "export/line_json.hpp"
#include "export/trace_lines.hpp"

#include <array>
#include <string>
#include <utility>

namespace memviz {

namespace {

class JsonLines final : public TraceLines {
public:
  JsonLines(const Recording& recording, const TraceOptions& options, TextSink write)
      : recording_(recording), options_(options), write_(std::move(write)), stack_lines_(recording.frames) {}

  void begin(std::string&, DeviceId, const TraceSurvey::Device&) override {}
  void end(std::string&, const TraceCount&) override {}

  void add(std::string& out, const TraceLine& line) override {
    const Event& event = line.event;
    begin_line(out);
    JsonWriter json(out, write_, JsonLayout::spaced);
    write_device_key(json.begin_object().member("kind", "event"), line.device).member("event", line.index);
    if (event.time_us) json.member("time_us", *event.time_us);
    add_text(json, "action", action_text(recording_.frames, event));
    add_memory(json, line);
    add_texts(json, event);
    json.end_object();
    end_line(out);
  }

  void add(std::string& out, const Annotation& annotation) override {
    const FrameTable& frames = recording_.frames;
    begin_line(out);
    JsonWriter json(out, write_, JsonLayout::spaced);
    write_device_key(json.begin_object().member("kind", "annotation"), annotation.device);
    json.member("time_us", annotation.time_us);
    add_text(json, "name", frames.text(annotation.name));
    add_text(json, "stage", frames.text(annotation.stage));
    if (!annotation.metadata.empty()) {
      json.key("metadata").begin_object();
      for (const auto& [key, value] : annotation.metadata)
        json.member(bounded(frames.text(key)), bounded(frames.text(value)));
      json.end_object();
    }
    json.end_object();
    end_line(out);
  }

private:
  void begin_line(std::string& out) {
    if (options_.format != TraceFormat::document) return;
    out += is_first_ ? "\n    " : ",\n    ";
    is_first_ = false;
  }

  void end_line(std::string& out) const {
    if (options_.format == TraceFormat::ndjson) out += '\n';
  }

  static void add_text(JsonWriter& json, std::string_view name, std::string_view text) {
    json.member(name, bounded(text));
  }

  void add_frame(JsonWriter& json, FrameId frame) const {
    const FrameTable& frames = recording_.frames;
    json.begin_object();
    add_text(json, "name", frames.name(frame));
    add_text(json, "file", frames.filename(frame));
    json.member("line", known_line(frames.frame(frame).line));
    if (const FxInfo* const fx = frames.fx(frame)) {
      const auto add_node = [&](std::string_view key, StringId text) {
        if (text != kEmptyString) add_text(json, key, frames.text(text));
      };
      add_node("fx_node_op", fx->node_op);
      add_node("fx_node_name", fx->node_name);
      add_node("fx_node_target", fx->node_target);
      add_node("fx_original_trace", fx->original_trace);
    }
    json.end_object();
  }

  static void add_memory(JsonWriter& json, const TraceLine& line) {
    const Event& event = line.event;
    const bool has_address = event.action != Action::oom && event.action != Action::snapshot;
    if (line.life) add_text(json, "name", allocation_name(*line.life));
    if (has_address) json.member("address", std::to_string(event.address));
    json.member("size_bytes", event.size_bytes).member("stream", std::to_string(event.stream));
    if (line.pool) json.member("pool", std::array{line.pool->first, line.pool->second});
    if (event.action == Action::oom) json.member("device_free_bytes", event.address);
    if (!line.life) return;
    if (line.life->began) {
      json.member("began_event", line.life->began->event);
      if (event.action != Action::annotate) add_span(json, {"lived_events", "lived_us"}, *line.life->began, line);
    }
    if (line.life->was_freed) add_span(json, {"pending_events", "pending_us"}, *line.life->was_freed, line);
  }

  struct SpanNames {
    std::string_view events;
    std::string_view us;
  };
  static void add_span(JsonWriter& json, const SpanNames& names, const EventPoint& from, const TraceLine& line) {
    json.member(names.events, line.index - from.event);
    if (from.time_us && line.event.time_us)
      json.member(names.us, saturating_difference(*line.event.time_us, *from.time_us));
  }

  void add_texts(JsonWriter& json, const Event& event) {
    const FrameTable& frames = recording_.frames;
    if (const std::string& own = stack_lines_.line(event.stack); !own.empty()) add_text(json, "line", own);
    if (event.compile_context != kEmptyString) add_text(json, "compile_context", frames.text(event.compile_context));
    if (event.user_metadata != kEmptyString) add_text(json, "user_metadata", frames.text(event.user_metadata));
    if (event.internal_metadata != kEmptyString)
      add_text(json, "internal_metadata", frames.text(event.internal_metadata));
    if (!options_.stacks) return;
    json.key("frames").begin_array();
    for (const FrameId frame : frames.stack(event.stack))
      add_frame(json, frame);
    json.end_array();
    if (event.forward_stack == kNoFrames) return;
    json.key("forward_frames").begin_array();
    for (const FrameId frame : frames.stack(event.forward_stack))
      json.value(bounded(frames.name(frame)));
    json.end_array();
  }

  const Recording& recording_;
  const TraceOptions& options_;
  TextSink write_;
  StackLines stack_lines_;
  bool is_first_ = true;
};

} // namespace

std::unique_ptr<TraceLines> json_trace_lines(const Recording& recording, const TraceOptions& options, TextSink write) {
  return std::make_unique<JsonLines>(recording, options, std::move(write));
}

} // namespace memviz
