#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/check_words.hpp"
#include "export/device_json.hpp"
#include "export/rehearsal_json.hpp"
#include "memviz/check.hpp"
#include "memviz/check_report.hpp"
#include "memviz/no_stack_words.hpp"
#include "memviz/warnings.hpp"
#include "pickle/survey.hpp"

namespace memviz {

namespace {

void write_opcodes(JsonWriter& json, const pickle::Survey& survey) {
  json.key("opcodes").begin_object().member("total", survey.opcodes).key("by_name").begin_object();
  for (std::size_t opcode = 0; opcode < survey.counts.size(); ++opcode)
    if (survey.counts[opcode] > 0)
      json.member(pickle::opcode_name(static_cast<pickle::Opcode>(opcode)), survey.counts[opcode]);
  json.end_object().end_object();
}

void write_survey(JsonWriter& json, const pickle::Survey& survey) {
  json.member("protocol", survey.protocol).member("frames", survey.frames);
  write_opcodes(json, survey);
  json.key("limits")
      .begin_object()
      .member("deepest_nesting", survey.deepest_nesting)
      .member("memo_entries", survey.memo_entries)
      .member("longest_text_bytes", survey.longest_text_bytes)
      .end_object();
  json.member("refused_count", survey.refused_count).key("refused").begin_array(); // the first of them
  for (const pickle::RefusedOpcode& opcode : survey.refused)
    json.begin_object()
        .member("byte", opcode.offset)
        .member("opcode", pickle::opcode_name(opcode.opcode))
        .member("would", pickle::refused_purpose(opcode.opcode))
        .member("target", opcode.target)
        .end_object();
  json.end_array();
}

void write_reader(JsonWriter& json, const ReadBy& read_by) {
  json.key("reader").begin_object().member("name", read_by.plain_reason ? "plain" : "fast");
  if (read_by.plain_reason) json.member("reason", reason_text(*read_by.plain_reason));
  if (read_by.plain_reason && read_by.offset) json.member("offset", *read_by.offset);
  json.end_object();
}

void write_devices(JsonWriter& json, const CheckReport& report) {
  const Recording& recording = *report.recording;
  json.key("devices").begin_array();
  for (const DeviceId device : recording.devices()) {
    const DeviceCounts counts = device_counts(recording, device);
    write_device_key(json.begin_object(), device).member("segments", counts.segments);
    json.member("blocks", counts.blocks).member("events", counts.events);
    if (report.state)
      for (const DeviceState& device_state : report.state->devices_of(device))
        json.member("balanced", device_state.figures.balanced())
            .member("imbalance_bytes", device_state.figures.imbalance_bytes);
    json.end_object();
  }
  json.end_array();
}

/// Writes nothing for the files of known writers.
void write_unread_keys(JsonWriter& json, const Recording& recording) {
  if (recording.unread_keys.empty()) return;
  json.key("unread_keys").begin_array();
  for (const UnreadKey& key : recording.unread_keys)
    json.begin_object()
        .member("key", recording.frames.text(key.name))
        .member("may_hold_memory", key.may_hold_memory)
        .end_object();
  json.end_array().member("more_unread_keys", recording.more_unread_keys);
}

/// Writes the additions of memviz's recorder.
void write_recorder(JsonWriter& json, const Recording& recording) {
  if (recording.declared.empty() && recording.measured.empty()) return;
  json.key("recorder")
      .begin_object()
      .member("tensors", recording.declared.size())
      .member("devices", recording.measured.size())
      .end_object();
}

void write_report(JsonWriter& json, const CheckReport& report) {
  json.member("file", report.file).member("well_formed", report.recording != nullptr);
  if (report.state) json.member("balanced", report.is_balanced());
  if (!report.recording) json.member("error", report.error);
  json.member("size_bytes", report.size_bytes);
  if (report.stored_bytes) json.member("stored_bytes", *report.stored_bytes);
  if (!report.layers.empty()) {
    json.key("layers").begin_array();
    for (const std::string& layer : report.layers)
      json.value(layer);
    json.end_array();
  }
  if (report.recording) {
    json.member("encoding", report.recording->origin.encoding);
    json.member("generation", report.recording->origin.generation);
    json.member("device_kind", words_of(report.recording->origin.device_kind).key);
    write_rehearsal(json, report.recording->origin.rehearsal);
  }
  if (report.read_by) write_reader(json, *report.read_by);
  if (const std::string writer = writer_text(report); !writer.empty()) json.member("writer", writer);
  if (report.survey) write_survey(json, *report.survey);
  if (!report.recording) return;
  write_devices(json, report);
  write_recorder(json, *report.recording);
  write_unread_keys(json, *report.recording);
  json.member("annotations", report.recording->annotations.size()).member("warnings", warnings_of(report));
  if (!report.state) json.member("decoding_seconds", report.decoding_seconds);
}

} // namespace

std::string check_json(const CheckReport& report) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.check/1.2");
    write_report(json, report);
    json.end_object();
  });
}

} // namespace memviz
