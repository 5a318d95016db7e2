#include "export/check_words.hpp"
#include "export/json_text.hpp"
#include "export/rehearsal_json.hpp"
#include "memviz/check.hpp"
#include "memviz/lost_history.hpp"
#include "pickle/survey.hpp"

namespace memviz {

namespace {

using Json = nlohmann::ordered_json;

Json opcodes_json(const pickle::Survey& survey) {
  Json by_name = Json::object();
  for (std::size_t opcode = 0; opcode < survey.counts.size(); ++opcode)
    if (survey.counts[opcode] > 0)
      by_name[std::string(pickle::opcode_name(static_cast<pickle::Opcode>(opcode)))] = survey.counts[opcode];
  return {{"total", survey.opcodes}, {"by_name", std::move(by_name)}};
}

Json refused_json(const pickle::Survey& survey) {
  Json refused = Json::array();
  for (const pickle::RefusedOpcode& opcode : survey.refused) {
    refused.push_back({{"byte", opcode.offset},
                       {"opcode", pickle::opcode_name(opcode.opcode)},
                       {"would", pickle::refused_purpose(opcode.opcode)},
                       {"target", opcode.target}});
  }
  return refused;
}

void add_survey(Json& result, const pickle::Survey& survey) {
  result["protocol"] = survey.protocol;
  result["frames"] = survey.frames;
  result["opcodes"] = opcodes_json(survey);
  result["limits"] = {{"deepest_nesting", survey.deepest_nesting},
                      {"memo_entries", survey.memo_entries},
                      {"longest_text_bytes", survey.longest_text_bytes}};
  result["refused_count"] = survey.refused_count;
  result["refused"] = refused_json(survey); // the first of them
}

Json reader_json(const ReadBy& read_by) {
  if (!read_by.plain_reason) return {{"name", "fast"}};
  Json reader{{"name", "plain"}, {"reason", reason_text(*read_by.plain_reason)}};
  if (read_by.offset) reader["offset"] = *read_by.offset;
  return reader;
}

Json devices_json(const CheckReport& report) {
  Json devices = Json::array();
  const Recording& recording = *report.recording;
  for (const std::uint32_t device : recording.devices()) {
    const DeviceCounts counts = device_counts(recording, device);
    Json entry{{"device", device}, {"segments", counts.segments}, {"blocks", counts.blocks}, {"events", counts.events}};
    if (report.state) {
      for (const DeviceStats& stats : report.state->stats_of(device)) {
        entry["balanced"] = stats.balanced();
        entry["imbalance_bytes"] = stats.imbalance_bytes;
      }
    }
    devices.push_back(std::move(entry));
  }
  return devices;
}

} // namespace

std::string check_json(const CheckReport& report) {
  Json result;
  result["file"] = report.file;
  result["well_formed"] = report.recording != nullptr;
  if (report.state) result["balanced"] = report.is_balanced();
  if (!report.recording) result["error"] = report.error;
  result["size_bytes"] = report.size_bytes;
  if (report.stored_bytes) result["stored_bytes"] = *report.stored_bytes;
  if (report.recording) {
    result["encoding"] = report.recording->origin.encoding;
    result["generation"] = report.recording->origin.generation;
    if (report.recording->origin.rehearsal) result["rehearsal"] = rehearsal_json(*report.recording->origin.rehearsal);
  }
  if (report.read_by) result["reader"] = reader_json(*report.read_by);
  if (const std::string writer = writer_text(report); !writer.empty()) result["writer"] = writer;
  if (report.survey) add_survey(result, *report.survey);
  if (!report.recording) return json_text(result, 2) + '\n';
  result["devices"] = devices_json(report);
  result["annotations"] = report.recording->annotations.size();
  result["warnings"] = warnings_of(report);
  if (!report.state) result["decoding_seconds"] = report.decoding_seconds;
  return json_text(result, 2) + '\n';
}

} // namespace memviz
