#include "engine/answers.hpp"

#include "base/json_writer.hpp"
#include "memviz/label.hpp"
#include "memviz/story.hpp"
#include "memviz/warnings.hpp"
#include "story/short_label.hpp"

namespace memviz::view {

namespace {

void write_marks(JsonWriter& json, const DeviceRecord& record) {
  json.key("marks").begin_array();
  for (const Mark& mark : record.marks)
    json.begin_object()
        .member("kind", mark.kind == MarkKind::oom ? "oom" : "snapshot")
        .member("state", mark.state)
        .member("bytes", mark.size_bytes)
        .member("free_bytes", mark.free_bytes)
        .end_object();
  json.end_array();
}

void write_annotations(JsonWriter& json, const Recording& recording, const DeviceRecord& record) {
  constexpr std::uint32_t kMostRows = 4;
  constexpr std::size_t kMostSpans = 20'000;
  const AnnotationLane lane = annotation_lane(recording, record, kMostRows);
  json.key("annotations").begin_array();
  for (std::size_t i = 0; i < lane.spans.size() && i < kMostSpans; ++i) {
    const AnnotationSpan& span = lane.spans[i];
    json.begin_object()
        .member("name", one_line(recording.frames.text(span.name)))
        .member("row", span.row)
        .member("first", span.begin)
        .member("last", std::min(span.end, record.events + 1))
        .end_object();
  }
  json.end_array();
}

void write_device(JsonWriter& json, const PageFile& file, const DeviceState& device, const DeviceRecord& record) {
  const DeviceFigures& figures = device.figures;
  json.begin_object()
      .member("device", device.device.value)
      .member("name", device_name(device))
      .member("events", record.events)
      .member("lives", record.lives.size() + record.freed_baseline.size() + record.kept_baseline.size())
      .member("has_times", !record.times_us().empty())
      .member("peak_bytes", figures.peak_requested_bytes)
      .member("peak_state", device.peak_event.is_none() ? 0 : device.peak_event.number() + 1)
      .member("end_bytes", figures.end_live_bytes())
      .member("reserved_bytes", figures.reserved_bytes)
      .member("baseline_bytes", figures.baseline_bytes)
      .member("reserved_known_from", record.reserved_known_from)
      .member("has_keepers", file.keepers() != nullptr && !is_host(device.device));
  std::uint64_t most_reserved = 0;
  for (const Step& step : record.reserved)
    most_reserved = std::max(most_reserved, step.bytes);
  json.member("most_reserved_bytes", most_reserved);
  write_marks(json, record);
  write_annotations(json, file.recording(), record);
  json.end_object();
}

} // namespace

std::string overview(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  const Recording& recording = file.recording();
  const auto shown = file.state_at("auto", std::nullopt);
  const Story story = flame_story(memory_subject(*shown, std::nullopt));
  std::string out;
  JsonWriter json(out, JsonLayout::compact);
  json.begin_object().member("file", file.name()).member("headline", story.headline).member("answer", story.answer);
  if (const DeviceState* const device = shown_device(shown->devices)) json.member("device", device->device.value);
  json.member("facts", story.facts).member("generation", recording.origin.generation);
  json.member("encoding", recording.origin.encoding).member("bytes", recording.origin.size_bytes);
  json.member("warnings", warnings_and_losses(file.end()));
  json.key("settings").begin_array();
  for (const auto& [name, value] : recording.settings)
    json.begin_array().value(recording.frames.text(name)).value(recording.frames.text(value)).end_array();
  json.end_array().key("devices").begin_array();
  for (const DeviceRecord& record : file.timeline())
    if (const DeviceState* const device = file.end().device_at(record.device))
      write_device(json, file, *device, record);
  json.end_array().end_object();
  return out;
}

} // namespace memviz::view
