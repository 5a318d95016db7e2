#include "memviz/report_json.hpp"

#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/kinds_json.hpp"
#include "export/limited_json.hpp"
#include "export/moment_json.hpp"
#include "export/rehearsal_json.hpp"
#include "export/schemas.hpp"
#include "memviz/kinds.hpp"
#include "memviz/warnings.hpp"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

struct ReportInJson {
  const ReportSubject& subject;
  TextLimit& limit;
};

struct ReportedDevice {
  const ReportSubject& subject;
  const DeviceState& state;
};

std::vector<ReportedDevice> reported_devices(const ReportInJson& report) {
  std::vector<ReportedDevice> devices;
  for (const DeviceId device : report.subject.report.devices)
    if (const DeviceState* const state = report.subject.state.device_at(device))
      devices.push_back({report.subject, *state});
  return devices;
}

constexpr auto kReportedState = json_object<DeviceState>(
    {}, //
    member("device", "", &DeviceState::device, kDeviceForm), member("at", "", &DeviceState::moment, kMoment),
    member("requested_bytes", "Requested bytes at the moment",
           part_of(&DeviceState::figures, &DeviceFigures::requested_bytes)),
    member("peak_bytes", "Requested bytes at its peak",
           part_of(&DeviceState::figures, &DeviceFigures::peak_requested_bytes)));

constexpr auto kReportedDevice = json_object<ReportedDevice>(
    {.meaning = "A device of the report"},
    members_of(kReportedState, [](const ReportedDevice& device) -> const DeviceState& { return device.state; }),
    member(
        "kinds", "Kinds of memory at the moment, together requested_bytes",
        [](const ReportedDevice& device) {
          return kinds_in_json(kind_account(device.subject.state, device.state.device));
        },
        kKind));

struct EntryInJson {
  const ReportSubject& subject;
  const ReportEntry& entry;

  [[nodiscard]] const Block& block() const { return subject.state.blocks[entry.block]; }
};

struct ProjectLine {
  std::string_view file;
  std::int64_t line;
};

/// Returns the frames of the project, with lines that an editor can open.
std::vector<ProjectLine> project_lines(const EntryInJson& entry) {
  const FrameTable& frames = entry.subject.state.frames();
  std::vector<ProjectLine> lines;
  for (const FrameId id : frames.stack(entry.block().stack)) {
    const Frame& frame = frames.frame(id);
    const std::string_view path = entry.subject.project.path_of(frame.filename);
    if (!path.empty() && frame.line >= 1) lines.push_back({path, frame.line});
  }
  return lines;
}

constexpr auto kProjectLine = json_object<ProjectLine>(
    {.meaning = "A frame of the project", .name = "project_frame", .layout = JsonLayout::spaced},
    member("file", "Path relative to project_root", &ProjectLine::file),
    member("line", "Its line", &ProjectLine::line).at_least(1));

constexpr auto kEntryMemory = json_object<EntryInJson>(
    {},
    member("name", "docs/report.md says how it is made",
           [](const EntryInJson& entry) { return entry.subject.report.name_of(entry.entry); }),
    member(
        "device", "", [](const EntryInJson& entry) { return entry.entry.device; }, kDeviceForm),
    member(
        "address", kDecimalAddressMeaning, [](const EntryInJson& entry) { return entry.block().address; }, kDecimal),
    member("size_bytes", "Bytes that the program requested",
           [](const EntryInJson& entry) { return entry.entry.size_bytes; }));

constexpr auto kEntryOrigin = json_object<EntryInJson>(
    {},
    member(
        "known_by", "How its kind is known",
        [](const EntryInJson& entry) { return entry.subject.state.facts[entry.entry.block].kind.evidence; },
        kNamedEvidence),
    member("frames", "Its stack within the project, innermost first", project_lines, kProjectLine));

constexpr auto kWeight = json_object<EntryInJson>(
    {.meaning = "A weight", .layout = JsonLayout::spaced}, members_of(kEntryMemory, std::identity()),
    member("gradient_bytes", "Bytes of its gradient; 0 where it has none",
           [](const EntryInJson& entry) { return entry.entry.gradient_bytes; }),
    members_of(kEntryOrigin, std::identity()));

constexpr auto kActivation =
    json_object<EntryInJson>({.meaning = "An activation", .layout = JsonLayout::spaced},
                             members_of(kEntryMemory, std::identity()), members_of(kEntryOrigin, std::identity()));

constexpr auto kUnpaired = json_object<UnpairedGradients>(
    {.meaning = "Gradients of one size that belong to no weight", .layout = JsonLayout::spaced},
    member("device", "", &UnpairedGradients::device, kDeviceForm),
    member("size_bytes", "Bytes of each", &UnpairedGradients::size_bytes),
    member("count", "How many", &UnpairedGradients::count),
    member("reason", "Why", [](const UnpairedGradients& gradients) { return unpaired_words(gradients.reason); }));

std::uint64_t paired_bytes(const MemoryReport& report) {
  std::uint64_t bytes = 0;
  for (const ReportEntry& weight : report.weights)
    bytes += weight.gradient_bytes;
  return bytes;
}

std::uint64_t unpaired_bytes(const MemoryReport& report) {
  std::uint64_t bytes = 0;
  for (const UnpairedGradients& gradients : report.unpaired)
    bytes += gradients.size_bytes * gradients.count;
  return bytes;
}

constexpr auto kGradients =
    json_object<MemoryReport>({}, member("paired_bytes", "Bytes that belong to a weight", paired_bytes),
                              member("unpaired_bytes", "Bytes that belong to none", unpaired_bytes),
                              member("unpaired", "These", &MemoryReport::unpaired, kUnpaired));

TextLimit& limit_of_entries(const ReportInJson& report) {
  return report.limit;
}

EntryInJson entry_in_json(const ReportInJson& report, const ReportEntry& entry) {
  return {report.subject, entry};
}

constexpr auto kReport = json_described<ReportInJson>(
    {.schema = "memviz.report/1.1",
     .title = "memviz report --json",
     .meaning = "Weights with their gradients, and activations: what the SQLite file has in its tables"},
    member(
        "file", kSnapshotMeaning, [](const ReportInJson& report) -> const auto& { return report.subject.file; }),
    member(
        "rehearsal", "",
        [](const ReportInJson& report) -> const auto& { return report.subject.state.recording->origin.rehearsal; },
        kRehearsal)
        .if_any(),
    member("project_root", "Folder that paths are relative to; empty where there is none",
           [](const ReportInJson& report) { return std::string_view(report.subject.project.root()); }),
    member("peak_bytes", "Requested bytes at the peak; of several devices the sum of their peaks",
           [](const ReportInJson& report) { return report.subject.report.peak_bytes; }),
    member("devices", "The devices that it is about", reported_devices, kReportedDevice),
    member(
        "weights", "By device, then as they were allocated",
        [](const ReportInJson& report) -> const auto& { return report.subject.report.weights; },
        limited(limit_of_entries, made_by(entry_in_json, kWeight))),
    member(
        "activations", "By device, then as they were allocated",
        [](const ReportInJson& report) -> const auto& { return report.subject.report.activations; },
        limited(limit_of_entries, made_by(entry_in_json, kActivation))),
    member(
        "gradients", "Gradients",
        [](const ReportInJson& report) -> const MemoryReport& { return report.subject.report; }, kGradients),
    member("warnings", kWarningsMeaning, [](const ReportInJson& report) { return warnings_of(report.subject.state); }));

} // namespace

std::string report_json(const ReportSubject& subject) {
  TextLimit limit(subject.state.recording->origin.size_bytes, "a report has a stack for each of its entries");
  return document_text(kReport, {subject, limit});
}

std::string report_schema() {
  return schema_text(kReport);
}

} // namespace memviz
