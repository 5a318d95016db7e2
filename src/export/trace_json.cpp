#include "memviz/trace_json.hpp"

#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/rehearsal_json.hpp"
#include "export/schemas.hpp"
#include "export/trace_event_json.hpp"
#include "memviz/warnings.hpp"

#include <functional>

namespace memviz {

namespace {

struct TraceInJson {
  const std::string& file;
  const MemoryState& state;
  const TraceSurvey& survey;
  std::optional<DeviceId> device;
};

struct TracedDevice {
  DeviceId device;
  const TraceSurvey::Device& survey;
};

constexpr auto kSurveyOfDevice = json_object<TraceSurvey::Device>(
    {}, member("events", "Its events, those that were left out included", &TraceSurvey::Device::events),
    member("first_us", "Time of the first that has one, microseconds since 1970", &TraceSurvey::Device::first_us),
    member("last_us", "Time of the last that has one, microseconds since 1970", &TraceSurvey::Device::last_us));

constexpr auto kTracedDevice = json_object<TracedDevice>(
    {.meaning = "A device"}, member("device", "", &TracedDevice::device, kDeviceForm),
    members_of(
        kSurveyOfDevice, [](const TracedDevice& device) -> const auto& { return device.survey; }));

TracedDevice traced_device(const TraceInJson& in, const DeviceState& state) {
  return {state.device, in.survey.device(state.device)};
}

constexpr auto kTraceHead = json_object<TraceInJson>(
    {},
    member(
        "file", kSnapshotMeaning, [](const TraceInJson& in) -> const auto& { return in.file; }),
    member(
        "rehearsal", "", [](const TraceInJson& in) -> const auto& { return in.state.recording->origin.rehearsal; },
        kRehearsal)
        .if_any(),
    member(
        "devices", "Each device, or the one of --device",
        [](const TraceInJson& in) { return in.state.devices_of(in.device); }, made_by(traced_device, kTracedDevice)),
    member("warnings", kWarningsMeaning, [](const TraceInJson& in) { return warnings_of(in.state); }));

/// The form of the lines, which json_trace_lines() writes between the head and the tail.
struct TraceLinesForm {
  void write_rules(SchemaWriter& writer, const ValueRule& /*rule*/) const {
    JsonWriter& json = writer.json();
    json.member("type", "array").key("items").begin_object().key("anyOf").begin_array();
    json.begin_object();
    write_form<TraceInJson, EventInJson>(writer, form_of(kTracedEvent), {});
    json.end_object().begin_object();
    write_form<TraceInJson, AnnotationInJson>(writer, form_of(kTracedAnnotation), {});
    json.end_object().end_array().end_object();
  }
};

constexpr auto kTrace = json_described<TraceInJson>(
    {.schema = "memviz.trace/1.0",
     .title = "memviz trace --json, memviz trace --format ndjson",
     .meaning = "The events of a recording. With --format ndjson each line is one of `lines`, without the rest"},
    members_of(kTraceHead, std::identity()),
    member(
        "lines", "Those asked for, device after device, in the order of the recording",
        [](const TraceInJson& /*in*/) { return 0; }, TraceLinesForm{}));

} // namespace

std::string trace_json_head(const std::string& file, const MemoryState& state, const TraceSurvey& survey,
                            std::optional<DeviceId> device) {
  std::string text;
  JsonWriter json(text);
  begin_document(json, kTrace.facts.schema);
  write_members(json, kTraceHead, {file, state, survey, device});
  json.key("lines").begin_array();
  return text; // the log goes on here
}

std::string_view trace_json_tail() {
  return "\n  ]\n}\n";
}

std::string trace_schema() {
  return schema_text(kTrace);
}

} // namespace memviz
