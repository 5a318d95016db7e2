#include "export/steps_json.hpp"

#include "memviz/leaks_words.hpp"

#include <string>
#include <string_view>

namespace memviz {
namespace {

std::string_view step_source_name(StepSource source) {
  switch (source) {
  case StepSource::none: return "none";
  case StepSource::annotation: return "annotation";
  case StepSource::repetition: return "repetition";
  case StepSource::events: return "events";
  case StepSource::time: return "time";
  }
  return "none";
}

} // namespace

void write_steps(JsonWriter& json, const Recording& recording, const Steps& steps) {
  json.key("steps").begin_object().member("source", step_source_name(steps.source));
  if (steps.source == StepSource::annotation) json.member("annotation", steps.name);
  if (steps.source == StepSource::repetition) json.member("anchors", steps.anchors);
  json.member("guess", steps.is_guess()).member("count", steps.starts.size());
  if (steps.source == StepSource::annotation) json.member("marks", steps.marks);
  json.member("left_out", steps.left_out).member("start_events", steps.starts);
  if (const std::string note = steps_note(recording, steps); !note.empty()) json.member("note", note);
  json.end_object();
}

} // namespace memviz
