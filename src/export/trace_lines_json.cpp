#include "base/json_writer.hpp"
#include "export/trace_event_json.hpp"
#include "export/trace_lines.hpp"

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
    begin_line(out);
    JsonWriter json(out, write_, JsonLayout::spaced);
    write_object(json, kTracedEvent, {recording_.frames, line, stack_lines_.line(line.event.stack), options_.stacks});
    end_line(out);
  }

  void add(std::string& out, const Annotation& annotation) override {
    begin_line(out);
    JsonWriter json(out, write_, JsonLayout::spaced);
    write_object(json, kTracedAnnotation, {recording_.frames, annotation});
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
