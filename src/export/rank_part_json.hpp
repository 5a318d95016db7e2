#pragma once

// Descriptions of the parts of ranks that several documents of JSON have.

#include "base/json_object_schema.hpp"
#include "export/kinds_json.hpp"
#include "memviz/event_index.hpp"
#include "memviz/moment.hpp"
#include "memviz/ranks.hpp"
#include "value/field.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace memviz {

inline constexpr auto kNamedRankMoment = named(moment_kind_name, MomentKind::end, MomentKind::oom);

inline constexpr auto kUnreadPart = json_object<RankPart>(
    {.meaning = "A file that could not be read", .name = "unread_file", .layout = JsonLayout::compact},
    member("file", "Its name", &RankPart::file), member("error", "Why it could not be read", &RankPart::error));

/// The form of the number of an event, which is -1 before the first.
struct EventForm {
  template <class Subject> void write(JsonWriter& json, const Subject& /*subject*/, EventIndex event) const {
    json.value(event.number());
  }
  void write_rules(SchemaWriter& writer, const ValueRule& rule) const {
    write_number_rule<std::int64_t>(writer.json(), {rule.may_be_null, -1});
  }
  void read(const Document& document, const Field& field, EventIndex& event) const {
    const auto number = document.as_signed(field.value);
    if (!number || *number < -1 || *number == std::numeric_limits<std::int64_t>::max())
      field.fail("the number of an event", value_name(field.value.kind()));
    event = EventIndex::last_of(static_cast<std::uint64_t>(*number + 1));
  }
};
inline constexpr EventForm kEventForm;

inline constexpr std::string_view kHeldLineMeaning =
    "Function, file and line; empty for the lines of a file that have no entry of their own";
inline constexpr std::string_view kKindMeaning = "Kind of memory (docs/kinds.md)";

inline constexpr auto kRankFigures = json_object<RankPart>(
    {}, member("device", "The number of the GPU", part_of(&RankPart::device, &DeviceId::value)),
    member("other_devices", "Other GPUs of the file that hold memory", &RankPart::other_devices),
    member("moment", "The moment of held_bytes", &RankPart::moment, kNamedRankMoment),
    member("event", "The event of that moment; -1 before the first", &RankPart::event, kEventForm),
    member("held_bytes", "Requested bytes at that moment", &RankPart::held_bytes),
    member("asked_bytes", "At an out-of-memory error: the bytes that were requested", &RankPart::asked_bytes)
        .of_any_size()
        .when([](const RankPart& part) { return part.moment == MomentKind::oom; }),
    member("asked_by", "At an out-of-memory error: the line that asked; empty where it has no stack",
           &RankPart::asked_by)
        .when([](const RankPart& part) { return part.moment == MomentKind::oom; }),
    member("peak_bytes", "Highest requested bytes", &RankPart::peak_bytes),
    member("peak_event", "The event after which they were reached first; -1 before the first", &RankPart::peak_event,
           kEventForm),
    member("end_bytes", "Requested bytes at the end of the recording", &RankPart::end_bytes),
    member("reserved_bytes", "What PyTorch held of the device at the end of the recording", &RankPart::reserved_bytes),
    member("capacity_bytes", "Memory of the device in bytes; null where the file does not record it",
           &RankPart::capacity_bytes)
        .of_any_size(),
    member("last_time_us", "Time of the last event, microseconds since 1970; null where events have no time",
           &RankPart::last_time_us),
    member("balanced", "Whether the accounts of the recording add up", &RankPart::is_balanced),
    member("may_have_lost_events", "Whether the ring of events may have lost some", &RankPart::may_have_lost_events));

inline constexpr auto kLineMemory = json_object<LineMemory>(
    {.meaning = "A line of code", .name = "held_line", .layout = JsonLayout::compact},
    member("line", kHeldLineMeaning, &LineMemory::line), member("kind", kKindMeaning, &LineMemory::kind, kNamedKind),
    member("bytes", "Requested bytes", &LineMemory::bytes));

inline constexpr auto kInnerMemory = json_object<LineMemory>(
    {.meaning = "What one of them holds", .layout = JsonLayout::compact},
    member("line", "`function file.py:12`", &LineMemory::line), member("bytes", "Requested bytes", &LineMemory::bytes));

inline constexpr auto kKeeperMemory =
    json_object<KeeperMemory>({.meaning = "A variable", .layout = JsonLayout::compact},
                              member("keeper", "Its name, what it is, and where it is", &KeeperMemory::keeper),
                              member("bytes", "Bytes that it keeps", &KeeperMemory::bytes));

inline constexpr auto kLargestOfRank = json_object<RankPart>(
    {},
    member("within",
           "Of the largest line, if it holds more than half of all: the largest of the innermost lines that it called, "
           "at most three",
           &RankPart::within, kInnerMemory)
        .if_any(),
    member("keepers",
           "The variables that keep most, largest first; absent if no keepers were read at the moment of the rank",
           &RankPart::keepers, kKeeperMemory)
        .if_any());

/// Returns the object as a line of JSON.
template <class Object>
[[nodiscard]] std::string object_line(const Object& object, const typename Object::Subject& subject) {
  std::string line;
  JsonWriter json(line, JsonLayout::compact);
  write_object(json, object, subject);
  return line + '\n';
}

} // namespace memviz
