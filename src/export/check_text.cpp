#include "memviz/check.hpp"

#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/check_words.hpp"
#include "export/text_table.hpp"
#include "memviz/check_report.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/warnings.hpp"
#include "pickle/survey.hpp"
#include "story/accounts.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>
#include <vector>

namespace memviz {

namespace {

std::string verdict(const CheckReport& report) {
  if (report.survey && report.survey->refused_count > 0) {
    return fmt::format("REFUSED: {} in it would import, call or construct something; memviz ran none",
                       format_counted(report.survey->refused_count, "opcode"));
  }
  if (!report.recording) return "NOT WELL-FORMED";
  if (!report.state) return "well-formed; the accounts were not replayed";
  const bool balances = report.is_balanced();
  const auto& devices = report.state->devices;
  const bool has_events =
      std::ranges::any_of(devices, [](const DeviceState& device_state) { return device_state.figures.events > 0; });
  const std::string balance = has_events
                                  ? fmt::format("well-formed{} {}", balances ? " and" : ", but", balance_word(balances))
                                  : "well-formed; no events to balance";
  const std::size_t warnings = warnings_of(report).size();
  return warnings == 0 ? balance : fmt::format("{}; {}", balance, format_counted(warnings, "warning"));
}

std::string refused_opcodes(const pickle::Survey& survey) {
  if (survey.refused.empty()) return "";
  constexpr std::size_t kTargetColumns = 60;
  TextTable table{Align::right, Align::left, Align::left};
  table.add_row({"byte", "opcode", "would"});
  for (const pickle::RefusedOpcode& refused : survey.refused) {
    std::string purpose(pickle::refused_purpose(refused.opcode));
    if (!refused.target.empty()) purpose += ": " + elided(refused.target, kTargetColumns);
    table.add_row({std::to_string(refused.offset), std::string(pickle::opcode_name(refused.opcode)), purpose});
  }
  return '\n' + table.text("  ", survey.refused_count - survey.refused.size());
}

std::string commonest_opcodes(const pickle::Survey& survey) {
  constexpr std::size_t kShown = 5;
  std::vector<std::pair<std::uint64_t, std::string_view>> kinds;
  for (std::size_t opcode = 0; opcode < survey.counts.size(); ++opcode)
    if (survey.counts[opcode] > 0)
      kinds.emplace_back(survey.counts[opcode], pickle::opcode_name(static_cast<pickle::Opcode>(opcode)));
  std::ranges::stable_sort(kinds, [](const auto& one, const auto& other) { return one.first > other.first; });
  kinds.resize(std::min(kinds.size(), kShown));
  std::vector<std::string> texts;
  for (const auto& [count, name] : kinds)
    texts.push_back(fmt::format("{} {}", name, format_percent(count, survey.opcodes)));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void add_survey(TextTable& table, const pickle::Survey& survey) {
  const auto kinds = std::ranges::count_if(survey.counts, [](auto count) { return count > 0; });
  std::string opcodes =
      fmt::format("{} of {}", format_count(survey.opcodes), format_counted(static_cast<std::uint64_t>(kinds), "kind"));
  if (survey.frames > 0) opcodes += ", in " + format_counted(survey.frames, "frame");
  if (survey.end != pickle::SurveyEnd::stop) {
    opcodes += fmt::format(" up to byte {}, where {}", survey.end_offset,
                           survey.end == pickle::SurveyEnd::truncated ? "the file is cut off" : "there is none");
  }
  table.add_row({"opcodes", opcodes});
  table.add_row({"", commonest_opcodes(survey)});
  table.add_row({"nesting", format_counted(survey.deepest_nesting, "container") + " deep"});
  table.add_row({"memo", format_counted(survey.memo_entries, "entry", "entries")});
  table.add_row({"longest text", format_bytes(survey.longest_text_bytes)});
}

void add_origin(TextTable& table, const CheckReport& report) {
  constexpr std::uint64_t kShort = 1024;
  std::string size = format_bytes(report.size_bytes);
  if (report.size_bytes >= kShort) size += fmt::format(" ({} B)", format_count(report.size_bytes));
  if (report.stored_bytes)
    size += fmt::format(", {} {}", *report.stored_bytes < report.size_bytes ? "compressed to" : "of a file of",
                        format_bytes(*report.stored_bytes));
  table.add_row({"size", size});
  if (!report.layers.empty()) table.add_row({"packed in", fmt::format("{}", fmt::join(report.layers, ", then "))});
  if (report.recording)
    table.add_row({"encoding", printable(report.recording->origin.encoding)});
  else if (report.survey)
    table.add_row({"encoding", fmt::format("pickle protocol {}", report.survey->protocol)});
  if (report.read_by) table.add_row({"read by", read_by_text(*report.read_by)});
  if (const std::string writer = writer_text(report); !writer.empty()) table.add_row({"writer", writer});
  if (report.recording && !report.recording->origin.generation.empty())
    table.add_row({"generation", printable(report.recording->origin.generation)});
  if (report.recording && report.recording->origin.rehearsal)
    table.add_row({"recorded", printable(rehearsal_text(*report.recording->origin.rehearsal))});
}

/// Returns the additions of memviz's recorder.
std::string recorder_text(const Recording& recording) {
  std::vector<std::string> parts;
  if (!recording.declared.empty())
    parts.push_back("kinds and names of " + format_counted(recording.declared.size(), "tensor"));
  if (!recording.measured.empty())
    parts.push_back("memory beyond PyTorch of " + format_counted(recording.measured.size(), "device"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string unread_keys(const Recording& recording) {
  std::vector<std::string> names;
  for (const UnreadKey& key : recording.unread_keys)
    names.push_back(printable(recording.frames.text(key.name)));
  std::string text = fmt::format("'{}'", fmt::join(names, "', '"));
  if (recording.more_unread_keys > 0)
    text += " and " + format_counted(recording.more_unread_keys, "more key", "more keys");
  return text;
}

void add_devices(TextTable& table, const CheckReport& report) {
  const Recording& recording = *report.recording;
  const std::vector<DeviceId> devices = recording.devices();
  for (const DeviceId device : devices) {
    const DeviceCounts counts = device_counts(recording, device);
    table.add_row({device_heading(device, recording.origin.kind_of(device)),
                   fmt::format("{}, {}, {}", format_counted(counts.segments, "segment"),
                               format_counted(counts.blocks, "block"), format_counted(counts.events, "event"))});
    if (!report.state) continue;
    for (const DeviceState& device_state : report.state->devices_of(device))
      table.add_row({"", balance_line(device_state.figures)});
  }
  if (!recording.annotations.empty()) table.add_row({"annotations", format_count(recording.annotations.size())});
  if (const std::string text = recorder_text(recording); !text.empty()) table.add_row({"recorder", text});
  if (devices.empty()) table.add_row({"devices", "none: no segments and no events"});
  if (!recording.unread_keys.empty()) table.add_row({"not read", unread_keys(recording)});
}

} // namespace

std::vector<std::string> warnings_of(const CheckReport& report) {
  return report.state ? warnings_and_losses(*report.state) : warnings_of(*report.recording);
}

DeviceCounts device_counts(const Recording& recording, DeviceId device) {
  DeviceCounts counts;
  for (const Segment& segment : recording.end.segments_of(device)) {
    ++counts.segments;
    counts.blocks += segment.block_count;
  }
  const std::uint64_t* const events = recording.event_counts.find(device);
  counts.events = events == nullptr ? 0 : *events;
  return counts;
}

// PyTorch's C++ pickler writes protocol 2 and memoizes a container after filling it (torch/csrc/jit/serialization/
// pickler.cpp); Python's memoizes it while it is still empty.
std::string writer_text(const CheckReport& report) {
  if (report.recording && report.recording->origin.device_kind == DeviceKind::cpu) return "memviz's capture module";
  if (!report.survey) return "";
  const pickle::Survey& survey = *report.survey;
  if (survey.memoized_before_filling > 0 && survey.memoized_after_filling == 0) return "Python's pickle";
  if (survey.memoized_after_filling > 0 && survey.memoized_before_filling == 0 && survey.protocol == 2)
    return "PyTorch's C++ pickler";
  return report.recording
             ? "unknown: neither Python's pickle nor PyTorch's C++ pickler numbers its containers like this"
             : "";
}

std::string check_text(const CheckReport& report) {
  std::string text = fmt::format("{}: {}\n", printable(report.file), verdict(report));
  if (report.survey) text += refused_opcodes(*report.survey);
  TextTable table{Align::left, Align::left};
  add_origin(table, report);
  if (report.survey) add_survey(table, *report.survey);
  if (report.recording) add_devices(table, report);
  text += '\n' + table.text("  ");
  if (!report.recording) return text;
  for (const std::string& warning : warnings_of(report))
    text += '\n' + wrapped_text(warning, "Warning: ");
  return text;
}

} // namespace memviz
