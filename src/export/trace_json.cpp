#include "base/saturating.hpp"
#include "export/json_text.hpp"
#include "export/trace_lines.hpp"
#include "memviz/source_line.hpp"

#include <fmt/format.h>

namespace memviz {

namespace {

/// An object on one line, key by key.
class JsonLine {
public:
  explicit JsonLine(std::string& out) : out_(out) { out_ += '{'; }
  JsonLine(const JsonLine&) = delete;
  JsonLine& operator=(const JsonLine&) = delete;
  ~JsonLine() { out_ += '}'; }

  void raw(std::string_view name, std::string_view value) {
    if (out_.back() != '{') out_ += ", ";
    out_ += '"';
    out_ += name;
    out_ += "\": ";
    out_ += value;
  }
  template <class Number> void number(std::string_view name, Number value) { raw(name, fmt::to_string(value)); }
  void text(std::string_view name, std::string_view value) { raw(name, quoted(value)); }

  [[nodiscard]] static std::string quoted(std::string_view value) { return json_text(std::string(bounded(value)), -1); }

private:
  std::string& out_;
};

class JsonLines final : public TraceLines {
public:
  JsonLines(const Recording& recording, const TraceOptions& options)
      : recording_(recording), options_(options), stack_lines_(recording.frames) {}

  void begin(std::string&, std::uint32_t, const TraceSurvey::Device&) override {}
  void end(std::string&, const TraceCount&) override {}

  void add(std::string& out, const TraceLine& line) override {
    const Event& event = line.event;
    {
      JsonLine object(out);
      object.text("kind", "event");
      object.number("device", line.device);
      object.number("event", line.index);
      if (event.time_us) object.number("time_us", *event.time_us);
      object.text("action", action_text(recording_.frames, event));
      add_memory(object, line);
      add_texts(object, event);
    }
    out += '\n';
  }

  void add(std::string& out, const Annotation& annotation) override {
    const FrameTable& frames = recording_.frames;
    {
      JsonLine object(out);
      object.text("kind", "annotation");
      object.number("device", annotation.device);
      object.number("time_us", annotation.time_us);
      object.text("name", frames.text(annotation.name));
      object.text("stage", frames.text(annotation.stage));
      std::string metadata = "{";
      for (const auto& [key, value] : annotation.metadata) {
        if (metadata.size() > 1) metadata += ", ";
        metadata += JsonLine::quoted(frames.text(key)) + ": " + JsonLine::quoted(frames.text(value));
      }
      if (metadata.size() > 1) object.raw("metadata", metadata + "}");
    }
    out += '\n';
  }

  void add(std::string& out, FrameId frame) override {
    const FrameTable& frames = recording_.frames;
    JsonLine item(out);
    item.text("name", frames.name(frame));
    item.text("file", frames.filename(frame));
    const std::int64_t line = frames.frame(frame).line;
    item.raw("line", line == kUnknownLine ? "null" : fmt::to_string(line));
  }

private:
  static void add_memory(JsonLine& object, const TraceLine& line) {
    const Event& event = line.event;
    const bool has_address = event.action != Action::oom && event.action != Action::snapshot;
    if (line.life) object.text("name", allocation_name(*line.life));
    if (has_address) object.text("address", std::to_string(event.address));
    object.number("size_bytes", event.size_bytes);
    object.text("stream", std::to_string(event.stream));
    if (line.pool) object.raw("pool", fmt::format("[{}, {}]", line.pool->first, line.pool->second));
    if (event.action == Action::oom) object.number("device_free_bytes", event.address);
    if (!line.life) return;
    if (line.life->began) {
      object.number("began_event", line.life->began->event);
      add_span(object, "lived", *line.life->began, line);
    }
    if (line.life->was_freed) add_span(object, "pending", *line.life->was_freed, line);
  }

  static void add_span(JsonLine& object, std::string_view name, const EventPoint& from, const TraceLine& line) {
    object.number(fmt::format("{}_events", name), line.index - from.event);
    if (from.time_us && line.event.time_us)
      object.number(fmt::format("{}_us", name), saturating_difference(*line.event.time_us, *from.time_us));
  }

  void add_texts(JsonLine& object, const Event& event) {
    const FrameTable& frames = recording_.frames;
    if (const std::string& own = stack_lines_.line(event.stack); !own.empty()) object.text("line", own);
    if (event.compile_context != kEmptyString) object.text("compile_context", frames.text(event.compile_context));
    if (event.user_metadata != kEmptyString) object.text("user_metadata", frames.text(event.user_metadata));
    if (!options_.stacks) return;
    std::string list = "[";
    for (const FrameId frame : frames.stack(event.stack)) {
      if (list.size() > 1) list += ", ";
      add(list, frame);
    }
    object.raw("frames", list + "]");
  }

  const Recording& recording_;
  const TraceOptions& options_;
  StackLines stack_lines_;
};

} // namespace

std::unique_ptr<TraceLines> json_trace_lines(const Recording& recording, const TraceOptions& options) {
  return std::make_unique<JsonLines>(recording, options);
}

} // namespace memviz
