#include "base/json_object_schema.hpp"
#include "export/check_words.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/origin_json.hpp"
#include "export/rehearsal_json.hpp"
#include "export/schemas.hpp"
#include "memviz/check.hpp"
#include "memviz/check_report.hpp"
#include "memviz/warnings.hpp"
#include "pickle/survey.hpp"
#include "story/no_stack_words.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

namespace {

using pickle::RefusedOpcode;
using pickle::Survey;

std::vector<std::pair<std::string_view, std::uint64_t>> opcode_counts(const Survey& survey) {
  std::vector<std::pair<std::string_view, std::uint64_t>> counts;
  for (std::size_t opcode = 0; opcode < survey.counts.size(); ++opcode)
    if (survey.counts[opcode] > 0)
      counts.emplace_back(pickle::opcode_name(static_cast<pickle::Opcode>(opcode)), survey.counts[opcode]);
  return counts;
}

constexpr auto kOpcodes =
    json_object<Survey>({}, member("total", "How many", &Survey::opcodes),
                        member("by_name", "How many of each, by name", opcode_counts, kDictionary).at_least(1));

constexpr auto kLimits =
    json_object<Survey>({}, member("deepest_nesting", "Marks within marks", &Survey::deepest_nesting),
                        member("memo_entries", "Entries of the memo", &Survey::memo_entries),
                        member("longest_text_bytes", "Bytes of the longest text", &Survey::longest_text_bytes));

constexpr auto kRefused = json_object<RefusedOpcode>(
    {.meaning = "An opcode that was refused"}, member("byte", "Its place in the file", &RefusedOpcode::offset),
    member("opcode", "Its name", [](const RefusedOpcode& refused) { return pickle::opcode_name(refused.opcode); }),
    member("would", "What it would do in Python",
           [](const RefusedOpcode& refused) { return pickle::refused_purpose(refused.opcode); }),
    member("target", "What it names, such as `os system`", &RefusedOpcode::target));

constexpr auto kSurvey = json_object<Survey>(
    {}, member("protocol", "Pickle protocol", &Survey::protocol).at_least(0),
    member("frames", "Frames of protocol 4 and 5", &Survey::frames),
    member(
        "opcodes", "The pickle's opcodes", [](const Survey& survey) -> const auto& { return survey; }, kOpcodes),
    member(
        "limits", "What bounds the decoder", [](const Survey& survey) -> const auto& { return survey; }, kLimits),
    member("refused_count", "Opcodes that would import, call or construct; none is ever executed",
           &Survey::refused_count),
    member("refused", "The first of them", &Survey::refused, kRefused));

constexpr std::array<std::string_view, 2> kReaderNames{"fast", "plain"};

std::string_view reader_name(const ReadBy& read_by) {
  return kReaderNames[read_by.plain_reason ? 1 : 0];
}

std::optional<std::string_view> plain_reason(const ReadBy& read_by) {
  return read_by.plain_reason ? std::optional(reason_text(*read_by.plain_reason)) : std::nullopt;
}

std::optional<std::uint64_t> plain_offset(const ReadBy& read_by) {
  return read_by.plain_reason ? read_by.offset : std::nullopt;
}

constexpr auto kReader =
    json_object<ReadBy>({}, member("name", "fast, or plain where that gave up", reader_name, one_of(kReaderNames)),
                        member("reason", "Why not the fast one", plain_reason).if_any(),
                        member("offset", "The byte at which that was seen", plain_offset).if_any());

struct CheckedDevice {
  DeviceId device;
  DeviceCounts counts;
  const DeviceState* state; ///< null if only the structure was checked
};

std::vector<CheckedDevice> checked_devices(const CheckReport& report) {
  std::vector<CheckedDevice> devices;
  for (const DeviceId device : report.recording->devices())
    devices.push_back(
        {device, device_counts(*report.recording, device), report.state ? report.state->device_at(device) : nullptr});
  return devices;
}

constexpr auto kBalance = json_object<DeviceState>(
    {}, member("balanced", "Whether its accounts add up", part_of(&DeviceState::figures, &DeviceFigures::balanced)),
    member("imbalance_bytes", "By how many bytes they do not",
           part_of(&DeviceState::figures, &DeviceFigures::imbalance_bytes)));

constexpr auto kCheckedDevice =
    json_object<CheckedDevice>({.meaning = "A device"}, member("device", "", &CheckedDevice::device, kDeviceForm),
                               member("segments", "Segments", part_of(&CheckedDevice::counts, &DeviceCounts::segments)),
                               member("blocks", "Blocks", part_of(&CheckedDevice::counts, &DeviceCounts::blocks)),
                               member("events", "Events", part_of(&CheckedDevice::counts, &DeviceCounts::events)),
                               members_of(
                                   kBalance, [](const CheckedDevice& device) -> const auto& { return *device.state; })
                                   .when([](const CheckedDevice& device) { return device.state != nullptr; }));

constexpr auto kRecorder =
    json_object<Recording>({},
                           member("tensors", "Pieces of memory that are named",
                                  [](const Recording& recording) { return recording.declared.size(); }),
                           member("devices", "Devices that were measured",
                                  [](const Recording& recording) { return recording.measured.size(); }));

struct UnreadKeyInJson {
  std::string_view name;
  bool may_hold_memory;
};

UnreadKeyInJson unread_key(const Recording& recording, const UnreadKey& key) {
  return {recording.frames.text(key.name), key.may_hold_memory};
}

constexpr auto kUnreadKey =
    json_object<UnreadKeyInJson>({.meaning = "A key"}, member("key", "Its name", &UnreadKeyInJson::name),
                                 member("may_hold_memory", "Whether it could hold memory that memviz does not count",
                                        &UnreadKeyInJson::may_hold_memory));

/// The files of known writers have no such keys.
constexpr auto kUnreadKeys = json_object<Recording>(
    {},
    member("unread_keys", "Keys that memviz does not know", &Recording::unread_keys, made_by(unread_key, kUnreadKey)),
    member("more_unread_keys", "How many more there are than those", &Recording::more_unread_keys));

constexpr auto kRecordedOrigin = json_object<Origin>({}, members_of(kOrigin, std::identity()),
                                                     member("rehearsal", "", &Origin::rehearsal, kRehearsal).if_any());

constexpr auto kCheckedRecording = json_object<CheckReport>(
    {}, member("devices", "Each device of the file", checked_devices, kCheckedDevice),
    member(
        "recorder", "What memviz's own recorder added (docs/recording.md); absent where it added nothing",
        [](const CheckReport& report) -> const auto& { return *report.recording; }, kRecorder)
        .when([](const CheckReport& report) {
          return !report.recording->declared.empty() || !report.recording->measured.empty();
        }),
    members_of(
        kUnreadKeys, [](const CheckReport& report) -> const auto& { return *report.recording; })
        .when([](const CheckReport& report) { return !report.recording->unread_keys.empty(); }),
    member("annotations", "Marks of record_function",
           [](const CheckReport& report) { return report.recording->annotations.size(); }),
    member("warnings", kWarningsMeaning, [](const CheckReport& report) { return warnings_of(report); }),
    member("decoding_seconds", "With --structure: seconds that decoding took", &CheckReport::decoding_seconds)
        .when([](const CheckReport& report) { return !report.state; }));

bool has_recording(const CheckReport& report) {
  return report.recording != nullptr;
}

constexpr std::array<std::string_view, 9> kLayers{"gzip", "zstd", "xz",         "bzip2", "zip",
                                                  "tar",  "HTML", "torch.save", "base64"};

constexpr auto kCheck = json_described<CheckReport>(
    {.schema = "memviz.check/1.3",
     .title = "memviz check --json",
     .meaning =
         "Whether a file is a snapshot, whole and balanced; who wrote it; what a hostile one tried. One document "
         "for one file. Where the command line names several files or a folder, a line for each: a document, or "
         "one of memviz.unread for a file that could not be read."},
    member("file", kSnapshotMeaning, &CheckReport::file),
    member("well_formed", "Whether it is a snapshot", has_recording),
    member("balanced", "Whether its accounts add up; absent with --structure, and where it is not a snapshot",
           &CheckReport::is_balanced)
        .when([](const CheckReport& report) { return report.state.has_value(); }),
    member("error", "Where it is not a snapshot: why", &CheckReport::error).when([](const CheckReport& report) {
      return !has_recording(report);
    }),
    member("size_bytes", "Bytes, decompressed", &CheckReport::size_bytes),
    member("stored_bytes", "Bytes of the file, where it is compressed or an archive", &CheckReport::stored_bytes)
        .if_any(),
    member("layers", "What the snapshot is packed in, from the outside; absent where it is not packed",
           &CheckReport::layers, one_of(kLayers))
        .if_any()
        .never_empty(),
    members_of(
        kRecordedOrigin, [](const CheckReport& report) -> const auto& { return report.recording->origin; })
        .when(has_recording),
    member("reader", "Which of the two readers did it", &CheckReport::read_by, kReader).if_any(),
    member("writer", "Who wrote the pickle: Python's pickler, PyTorch's C++ writer, ...", writer_text).if_any(),
    members_of(
        kSurvey, [](const CheckReport& report) -> const auto& { return *report.survey; })
        .when([](const CheckReport& report) { return report.survey != nullptr; }),
    members_of(kCheckedRecording, std::identity()).when(has_recording));

} // namespace

std::string check_json(const CheckReport& report) {
  return document_text(kCheck, report);
}

std::string check_schema() {
  return schema_text(kCheck);
}

} // namespace memviz
