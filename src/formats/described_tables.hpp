#pragma once

// The tables of a recording: each column once, for CSV, JSON lines, SQLite and docs/tables.md.

#include "export/kinds_json.hpp"
#include "export/table_columns.hpp"
#include "memviz/device_state.hpp"
#include "memviz/event_index.hpp"
#include "memviz/events.hpp"
#include "memviz/label.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/memory_map.hpp"
#include "story/moment_words.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// The form of the id of a text or stack, which is null for the empty one.
inline constexpr auto kIdColumn = [](auto id) -> std::optional<std::uint32_t> {
  return id.value == 0 ? std::nullopt : std::optional(id.value);
};
inline constexpr auto kDeviceColumn = [](DeviceId device) { return device_number(device); };
inline constexpr auto kEventColumn = [](EventIndex event) {
  return event.is_none() ? std::nullopt : std::optional(event.number());
};

inline constexpr auto kStateColumn = [](BlockState state) { return state_name(state); };
inline constexpr auto kActionColumn = [](Action action) { return action_name(action); };

inline constexpr std::string_view kRowMeaning = "Number of the row, from 1";
inline constexpr std::string_view kDeviceColumnMeaning = "Number of the device; -1: pinned host memory";
inline constexpr std::string_view kEventMeaning = "Its index in the events of its device, from 0";
inline constexpr std::string_view kAddressMeaning = "Its address";
inline constexpr std::string_view kStackMeaning = "Its stack, in stack_lines";

inline constexpr auto kDeviceTable = json_object<DeviceState>(
    {.meaning = "device", .name = "devices"},
    member("device", kDeviceColumnMeaning, &DeviceState::device, kDeviceColumn),
    member("name", "Its name", [](const DeviceState& state) { return device_name(state); }),
    member("events", "Its events", part_of(&DeviceState::figures, &DeviceFigures::events)),
    member("baseline_bytes", "Live before the first event",
           part_of(&DeviceState::figures, &DeviceFigures::baseline_bytes)),
    member("peak_bytes", "Highest requested bytes",
           part_of(&DeviceState::figures, &DeviceFigures::peak_requested_bytes)),
    member("peak_event", "The event after which they were reached first; null: before the first",
           &DeviceState::peak_event, kEventColumn),
    member("moment", "The moment of `live`", [](const DeviceState& state) { return moment_text(state); }));

struct SegmentRow {
  std::int64_t id;
  const Segment* segment;
};

inline constexpr auto kSegmentTable = json_object<SegmentRow>(
    {.meaning = "segment at the end", .name = "segments"}, member("id", kRowMeaning, &SegmentRow::id),
    member("device", kDeviceColumnMeaning, part_of(&SegmentRow::segment, &Segment::device), kDeviceColumn),
    member("address", kAddressMeaning, part_of(&SegmentRow::segment, &Segment::address), kDecimal),
    member("total_bytes", "Its size", part_of(&SegmentRow::segment, &Segment::total_bytes)),
    member("stream", "Its stream", part_of(&SegmentRow::segment, &Segment::stream), kDecimal),
    member("pool_first", "Its memory pool", [](const SegmentRow& row) { return row.segment->pool.first; }),
    member("pool_second", "Its memory pool", [](const SegmentRow& row) { return row.segment->pool.second; }),
    member("is_expandable", "Whether it can grow", part_of(&SegmentRow::segment, &Segment::is_expandable)),
    member("is_large", "Whether it is for large blocks; null where the file does not record it",
           part_of(&SegmentRow::segment, &Segment::is_large)),
    member("stack", kStackMeaning, part_of(&SegmentRow::segment, &Segment::stack), kIdColumn));

struct BlockRow {
  std::int64_t id;
  std::int64_t segment;
  DeviceId device;
  const Block* block;
};

inline constexpr auto kBlockTable = json_object<BlockRow>(
    {.meaning = "block at the end", .name = "blocks"}, member("id", kRowMeaning, &BlockRow::id),
    member("segment", "The row of its segment", &BlockRow::segment),
    member("device", kDeviceColumnMeaning, &BlockRow::device, kDeviceColumn),
    member("address", kAddressMeaning, part_of(&BlockRow::block, &Block::address), kDecimal),
    member("size_bytes", "Its size", part_of(&BlockRow::block, &Block::size_bytes)),
    member("requested_bytes", "What the program requested", part_of(&BlockRow::block, &Block::requested_bytes)),
    member("state", "active_allocated, active_pending_free or inactive", part_of(&BlockRow::block, &Block::state),
           kStateColumn),
    member("stack", kStackMeaning, part_of(&BlockRow::block, &Block::stack), kIdColumn));

struct LiveRow {
  std::int64_t id;
  DeviceId device;
  std::optional<std::uint64_t> address;
  std::uint64_t requested_bytes;
  StackId stack;
  EventIndex alloc_event;
  KindOf kind;
  std::string_view line;
};

inline constexpr auto kLiveTable = json_object<LiveRow>(
    {.meaning = "allocation that is live at the moment (the peak, or --at)", .name = "live"},
    member("id", kRowMeaning, &LiveRow::id), member("device", kDeviceColumnMeaning, &LiveRow::device, kDeviceColumn),
    member("address", "Its address; null for memory outside of all segments", &LiveRow::address, kDecimal),
    member("requested_bytes", "Its size, as requested", &LiveRow::requested_bytes),
    member("stack", kStackMeaning, &LiveRow::stack, kIdColumn),
    member("alloc_event", "The event that allocated it; null: before recording", &LiveRow::alloc_event, kEventColumn),
    member("kind", "Its kind (docs/kinds.md)", part_of(&LiveRow::kind, &KindOf::kind), kNamedKind),
    member("known_by", "The sort of rule that found the kind", part_of(&LiveRow::kind, &KindOf::evidence),
           kNamedEvidence),
    member("line", "The user's own line, or why there is none", &LiveRow::line));

struct KeeperRow {
  std::int64_t id;
  DeviceId device;
  const Block* block;
  const std::string* keeper; ///< null: no variable keeps it
  std::string_view root;
  std::string_view path;
  bool is_through_graph;
  std::optional<std::uint64_t> retained_bytes;
};

inline constexpr auto kKeeperTable = json_object<KeeperRow>(
    {.meaning = "block in use at the end, if the file has keepers (docs/keepers.md)", .name = "keepers"},
    member("id", kRowMeaning, &KeeperRow::id),
    member("device", kDeviceColumnMeaning, &KeeperRow::device, kDeviceColumn),
    member("address", kAddressMeaning, part_of(&KeeperRow::block, &Block::address), kDecimal),
    member("requested_bytes", "Its size, as requested", part_of(&KeeperRow::block, &Block::requested_bytes)),
    member("keeper", "The variable that keeps it; null: none does", &KeeperRow::keeper),
    member("root", "The beginning of its path", &KeeperRow::root),
    member("path", "The path, as in Python", &KeeperRow::path),
    member("is_through_graph", "Whether the path runs through a graph of autograd", &KeeperRow::is_through_graph),
    member("retained_bytes", "What goes with the object of the variable", &KeeperRow::retained_bytes));

struct EventRow {
  DeviceId device;
  std::int64_t index;
  const Event* event;

  /// Returns a null pointer if the pool is unknown.
  template <std::uint64_t PoolId::*Part> [[nodiscard]] const std::uint64_t* pool() const {
    return event->pool ? &(*event->pool.*Part) : nullptr;
  }
};

inline constexpr auto kEventTable = json_object<EventRow>(
    {.meaning = "event", .name = "events"}, member("device", kDeviceColumnMeaning, &EventRow::device, kDeviceColumn),
    member("event", kEventMeaning, &EventRow::index),
    member("action", "alloc, free_requested, free_completed, segment_alloc, oom, ...; other: see event_notes",
           part_of(&EventRow::event, &Event::action), kActionColumn),
    member("address", "Its address; of oom the bytes that were free on the device",
           part_of(&EventRow::event, &Event::address), kDecimal),
    member("size_bytes", "Bytes", part_of(&EventRow::event, &Event::size_bytes)),
    member("stream", "Its stream", part_of(&EventRow::event, &Event::stream), kDecimal),
    member("time_us", "Microseconds since 1970", part_of(&EventRow::event, &Event::time_us)),
    member("stack", kStackMeaning, part_of(&EventRow::event, &Event::stack), kIdColumn),
    member("pool_first", "Its memory pool, where the file records it", &EventRow::pool<&PoolId::first>),
    member("pool_second", "Its memory pool, where the file records it", &EventRow::pool<&PoolId::second>),
    member("compile_context", "The region of torch.compile, in texts",
           part_of(&EventRow::event, &Event::compile_context), kIdColumn));

inline constexpr auto kNoteTable =
    json_object<EventRow>({.meaning = "event that has any of these", .name = "event_notes"},
                          member("device", kDeviceColumnMeaning, &EventRow::device, kDeviceColumn),
                          member("event", kEventMeaning, &EventRow::index),
                          member("action_text", "An action that memviz does not know, in texts",
                                 part_of(&EventRow::event, &Event::action_text), kIdColumn),
                          member("user_metadata", "The program's remark, in texts",
                                 part_of(&EventRow::event, &Event::user_metadata), kIdColumn),
                          member("internal_metadata", "PyTorch's own remark, in texts",
                                 part_of(&EventRow::event, &Event::internal_metadata), kIdColumn),
                          member("forward_stack", "Frames of the forward pass, in stack_lines",
                                 part_of(&EventRow::event, &Event::forward_stack), kIdColumn));

struct StackLineRow {
  std::uint32_t stack;
  std::int64_t ordering;
  std::string function;
  std::string file;
  std::optional<std::int64_t> line;
};

inline constexpr auto kStackLineTable = json_object<StackLineRow>(
    {.meaning = "frame of a stack, with its texts", .name = "stack_lines"},
    member("stack", "Number of the stack", &StackLineRow::stack),
    member("ordering", "Place of the frame; 0: innermost", &StackLineRow::ordering),
    member("function", "Its function", &StackLineRow::function), member("file", "Its file", &StackLineRow::file),
    member("line", "Its line; null where it is unknown", &StackLineRow::line));

struct TextRow {
  std::uint32_t id;
  std::string text;
};

inline constexpr auto kTextTable =
    json_object<TextRow>({.meaning = "text", .name = "texts"}, member("id", "Its number", &TextRow::id),
                         member("text", "On one line, at most 64 KiB", &TextRow::text));

} // namespace memviz
