#include "analysis/tree/no_stack_account.hpp"
#include "base/index_range.hpp"
#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/keepers_json.hpp"
#include "export/kinds_json.hpp"
#include "export/lines_json.hpp"
#include "export/moment_json.hpp"
#include "export/origin_json.hpp"
#include "export/rehearsal_json.hpp"
#include "export/schemas.hpp"
#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/kinds.hpp"
#include "memviz/warnings.hpp"
#include "story/no_stack_words.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

namespace {

constexpr auto kReason =
    json_object<UserLine>({.meaning = "A reason"},
                          member("reason", "In words", [](const UserLine& reason) { return reason_text(reason.key); }),
                          member("bytes", "Requested bytes", part_of(&UserLine::amount, &Amount::bytes)),
                          member("blocks", "Blocks", part_of(&UserLine::amount, &Amount::blocks)));

constexpr auto kNoStack =
    json_object<NoStackAccount>({}, member("bytes", "Requested bytes", part_of(&NoStackAccount::total, &Amount::bytes)),
                                member("blocks", "Blocks", part_of(&NoStackAccount::total, &Amount::blocks)),
                                member("reasons", "The reasons", &NoStackAccount::reasons, kReason));

constexpr auto kFigures = json_object<DeviceFigures>(
    {}, member("segments", "Segments reserved from the device", &DeviceFigures::segments),
    member("blocks", "Blocks in them, free ones included", &DeviceFigures::blocks),
    member("events", "Events of the device in the file", &DeviceFigures::events),
    members_of(kTotals, [](const DeviceFigures& figures) -> const MemoryTotals& { return figures; }),
    member("requested_bytes",
           "Bytes that the program asked for and has not freed; with those that lie outside all segments",
           &DeviceFigures::requested_bytes),
    member("baseline_bytes", "Requested bytes that lived before the first event", &DeviceFigures::baseline_bytes),
    member("may_have_lost_events", "Whether the ring of events was full, so that the oldest may be gone",
           &DeviceFigures::may_have_lost_events),
    member("unmatched_frees", "Frees in the events whose allocation is not", &DeviceFigures::unmatched_frees),
    member("peak_requested_bytes", "Requested bytes at the highest moment of the recording",
           &DeviceFigures::peak_requested_bytes));

constexpr auto kEndFigures = json_object<DeviceFigures>(
    {},
    member("end_requested_bytes", "Requested bytes at the end of the recording", &DeviceFigures::end_requested_bytes),
    member("end_reserved_bytes", "Reserved bytes at the end of the recording", &DeviceFigures::end_reserved_bytes),
    member("balanced", "Whether before + allocated - freed is what is in use at the end", &DeviceFigures::balanced),
    member("imbalance_bytes", "By how many bytes it is not", &DeviceFigures::imbalance_bytes),
    member("rounding_bytes", "Bytes that the allocator added to the requests", &DeviceFigures::rounding_bytes),
    member("unaccounted_bytes", "Reserved bytes that no block covers; 0 but in damaged files",
           &DeviceFigures::unaccounted_bytes),
    member("ooms", "Out-of-memory errors in the events", &DeviceFigures::ooms));

constexpr auto kStatsState = json_object<DeviceState>(
    {}, member("device", "", &DeviceState::device, kDeviceForm), member("at", "", &DeviceState::moment, kMoment),
    members_of(kFigures, &DeviceState::figures),
    member("peak_event", "Event of that moment, index from 0 in the events of its device; -1: before the first",
           [](const DeviceState& state) { return state.peak_event.number(); })
        .at_least(-1),
    members_of(kEndFigures, &DeviceState::figures),
    member("last_oom_event", "The last of them, index from 0 in the events of its device; -1: none",
           [](const DeviceState& state) { return state.last_oom_event.number(); })
        .at_least(-1),
    member("outside_bytes", "Requested bytes that lived by the events and for which no segment has room",
           part_of(&DeviceState::figures, &DeviceFigures::outside_bytes)),
    member(
        "perfect_allocator", kPerfectAllocatorMeaning,
        [](const DeviceState& state) { return perfect_allocator(state); }, kPerfectAllocator));

struct StatsInJson {
  const std::string& file;
  const MemoryState& state;
  const KindsByDevice& peak_kinds;
  const KeepersByDevice& keepers;
  std::vector<NoStackAccount> no_stack;
  std::vector<std::vector<UserLine>> users;
};

struct StatsDevice {
  const StatsInJson& stats;
  std::size_t index;

  [[nodiscard]] const DeviceState& state() const { return stats.state.devices[index]; }
};

std::optional<std::vector<KindInJson>> kinds_at_moment(const StatsDevice& device) {
  if (!device.stats.state.has_kinds) return std::nullopt;
  return kinds_in_json(kind_account(device.stats.state, device.state().device));
}

std::optional<std::vector<KindInJson>> kinds_at_peak(const StatsDevice& device) {
  const auto peak = device.stats.peak_kinds.find(device.state().device);
  return peak == device.stats.peak_kinds.end() ? std::nullopt : std::optional(kinds_in_json(peak->second));
}

std::optional<KeepersInJson> keepers_of_device(const StatsDevice& device) {
  const auto kept = device.stats.keepers.find(device.state().device);
  if (kept == device.stats.keepers.end()) return std::nullopt;
  return KeepersInJson{device.stats.state.frames(), kept->second};
}

constexpr auto kStatsDevice = json_object<StatsDevice>(
    {.meaning = "A device at its moment", .name = "stats"}, members_of(kStatsState, &StatsDevice::state),
    member(
        "no_stack", "What has no stack, and why",
        [](const StatsDevice& device) -> const auto& { return device.stats.no_stack[device.index]; }, kNoStack),
    member("kinds", "Kinds of memory at the moment, together requested_bytes", kinds_at_moment, kKind).if_any(),
    member("peak_kinds", "Kinds of memory at the peak, whatever the moment", kinds_at_peak, kKind).if_any(),
    member("keepers", kKeepersMeaning, keepers_of_device, kKeepers),
    member(
        "users", "The user's own lines by requested bytes, largest first, at most 100",
        [](const StatsDevice& device) { return first_lines(device.stats.users[device.index]); },
        made_by(
            [](const StatsDevice& device, const UserLine& line) {
              return LineInJson{device.stats.state.frames(), line};
            },
            kLine)));

struct SettingInJson {
  std::string_view name;
  std::string_view value;
};

constexpr auto kSetting =
    json_object<SettingInJson>({.meaning = "A setting of the allocator"}, member("name", "Name", &SettingInJson::name),
                               member("value", "Value, as text", &SettingInJson::value));

constexpr auto kStats = json_described<StatsInJson>(
    {.schema = "memviz.stats/1.4",
     .title = "memviz stats --json",
     .meaning = "Totals, accounts and kinds of memory of a snapshot, by device. One document for one file. Where the "
                "command line names several files or a folder, a line for each: a document, or one of memviz.unread "
                "for a file that could not be read."},
    member(
        "file", kSnapshotMeaning, [](const StatsInJson& stats) -> const auto& { return stats.file; }),
    member(
        "devices", "Each device, or the one of --device",
        [](const StatsInJson& stats) { return indexes(stats.state.devices.size()); },
        made_by(
            [](const StatsInJson& stats, std::size_t i) {
              return StatsDevice{stats, i};
            },
            kStatsDevice)),
    member("warnings", kWarningsMeaning, [](const StatsInJson& stats) { return warnings_and_losses(stats.state); }),
    member(
        "origin", "Who wrote the file",
        [](const StatsInJson& stats) -> const auto& { return stats.state.recording->origin; }, kOrigin),
    member(
        "rehearsal", "",
        [](const StatsInJson& stats) -> const auto& { return stats.state.recording->origin.rehearsal; }, kRehearsal)
        .if_any(),
    member(
        "settings", "The allocator's settings, as the file has them; a name may come twice",
        [](const StatsInJson& stats) -> const auto& { return stats.state.recording->settings; },
        made_by(
            [](const StatsInJson& stats, const std::pair<StringId, StringId>& setting) {
              const FrameTable& frames = stats.state.frames();
              return SettingInJson{frames.text(setting.first), frames.text(setting.second)};
            },
            kSetting)));

} // namespace

std::string stats_json(const std::string& file, const MemoryState& state, const KindsByDevice& peak_kinds,
                       const KeepersByDevice& keepers) {
  return document_text(kStats,
                       {file, state, peak_kinds, keepers, no_stack_accounts(state), rank_user_lines_of_devices(state)});
}

std::string stats_schema() {
  return schema_text(kStats);
}

} // namespace memviz
