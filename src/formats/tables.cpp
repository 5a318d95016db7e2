#include "memviz/tables.hpp"

#include "export/text_limit.hpp"
#include "export/text_rows.hpp"
#include "formats/recording_rows.hpp"
#include "memviz/source_line.hpp"

#include <array>
#include <string>
#include <utility>

namespace memviz {

namespace {

constexpr std::array<std::string_view, 7> kDeviceNames{"device",     "name",       "events", "baseline_bytes",
                                                       "peak_bytes", "peak_event", "moment"};
constexpr std::array<std::string_view, 10> kSegmentNames{"id",       "device",     "address",     "total_bytes",
                                                         "stream",   "pool_first", "pool_second", "is_expandable",
                                                         "is_large", "stack"};
constexpr std::array<std::string_view, 8> kBlockNames{"id",         "segment",         "device", "address",
                                                      "size_bytes", "requested_bytes", "state",  "stack"};
constexpr std::array<std::string_view, 9> kLiveNames{
    "id", "device", "address", "requested_bytes", "stack", "alloc_event", "kind", "known_by", "line"};
constexpr std::array<std::string_view, 9> kKeeperNames{
    "id", "device", "address", "requested_bytes", "keeper", "root", "path", "is_through_graph", "retained_bytes"};
constexpr std::array<std::string_view, 11> kEventNames{"device",     "event",       "action",         "address",
                                                       "size_bytes", "stream",      "time_us",        "stack",
                                                       "pool_first", "pool_second", "compile_context"};
constexpr std::array<std::string_view, 6> kNoteNames{
    "device", "event", "action_text", "user_metadata", "internal_metadata", "forward_stack"};
constexpr std::array<std::string_view, 5> kStackNames{"stack", "ordering", "function", "file", "line"};
constexpr std::array<std::string_view, 2> kTextNames{"id", "text"};

/// Writes each frame of each stack with its texts.
void write_stack_line_rows(TableRows& rows, const MemoryState& state) {
  const FrameTable& frames = state.frames();
  TextLimit limit(state.recording->origin.size_bytes, "--table stack_lines writes out every stack");
  for (std::uint32_t stack = 0; stack < frames.stack_count(); ++stack) {
    std::int64_t ordering = 0;
    for (const FrameId id : frames.stack({stack})) {
      const std::string function = column_text(frames.name(id));
      const std::string file = column_text(frames.filename(id));
      limit.add(function.size() + file.size());
      const std::int64_t line = frames.frame(id).line;
      rows.row(stack, ordering++, function, file, is_line(line) ? std::optional(line) : std::nullopt);
    }
  }
}

} // namespace

std::span<const std::string_view> table_columns(Table table) {
  switch (table) {
  case Table::devices: return kDeviceNames;
  case Table::segments: return kSegmentNames;
  case Table::blocks: return kBlockNames;
  case Table::live: return kLiveNames;
  case Table::keepers: return kKeeperNames;
  case Table::events: return kEventNames;
  case Table::event_notes: return kNoteNames;
  case Table::stack_lines: return kStackNames;
  case Table::texts: break;
  }
  return kTextNames;
}

struct TableText::Parts {
  Parts(Table its_table, TableFormat format, std::optional<DeviceId> its_device, TextSink write)
      : table(its_table), device(its_device), rows(text_rows(table_columns(its_table), format, std::move(write))),
        events(its_table == Table::events ? rows.get() : nullptr,
               its_table == Table::event_notes ? rows.get() : nullptr, its_device) {}

  Table table;
  std::optional<DeviceId> device;
  std::unique_ptr<TextRows> rows;
  EventRows events;
};

TableText::TableText(Table table, TableFormat format, std::optional<DeviceId> device, TextSink write)
    : parts_(std::make_unique<Parts>(table, format, device, std::move(write))) {
}

TableText::~TableText() = default;

EventSink* TableText::events() {
  return parts_->table == Table::events || parts_->table == Table::event_notes ? &parts_->events : nullptr;
}

void TableText::finish(const MemoryState& state) {
  TableRows& rows = *parts_->rows;
  const MemoryMap& memory = state.recording->end;
  switch (parts_->table) {
  case Table::devices: write_device_rows(rows, state, parts_->device); break;
  case Table::segments: write_segment_rows(rows, memory, parts_->device); break;
  case Table::blocks: write_block_rows(rows, memory, parts_->device); break;
  case Table::live: write_live_rows(rows, state, parts_->device); break;
  case Table::keepers: write_keeper_rows(rows, *state.recording, parts_->device); break;
  case Table::stack_lines: write_stack_line_rows(rows, state); break;
  case Table::texts: write_text_rows(rows, state.frames()); break;
  case Table::events:
  case Table::event_notes: break;
  }
  parts_->rows->flush();
}

} // namespace memviz
