#include "memviz/tables.hpp"

#include "export/text_limit.hpp"
#include "export/text_rows.hpp"
#include "formats/described_tables.hpp"
#include "formats/recording_rows.hpp"
#include "memviz/source_line.hpp"

#include <utility>

namespace memviz {

namespace {

/// Writes each frame of each stack with its texts.
void write_stack_line_rows(TableRows& rows, const MemoryState& state) {
  const FrameTable& frames = state.frames();
  TextLimit limit(state.recording->origin.size_bytes, "--table stack_lines writes out every stack");
  for (std::uint32_t stack = 0; stack < frames.stack_count(); ++stack) {
    std::int64_t ordering = 0;
    for (const FrameId id : frames.stack({stack})) {
      const std::int64_t line = frames.frame(id).line;
      const StackLineRow row{stack, ordering++, column_text(frames.name(id)), column_text(frames.filename(id)),
                             is_line(line) ? std::optional(line) : std::nullopt};
      limit.add(row.function.size() + row.file.size());
      write_row(rows, kStackLineTable, row);
    }
  }
}

} // namespace

TableDescription description_of(Table table) {
  switch (table) {
  case Table::live: return described<kLiveTable>();
  case Table::keepers: return described<kKeeperTable>();
  case Table::events: return described<kEventTable>();
  case Table::segments: return described<kSegmentTable>();
  case Table::blocks: return described<kBlockTable>();
  case Table::devices: return described<kDeviceTable>();
  case Table::stack_lines: return described<kStackLineTable>();
  case Table::texts: return described<kTextTable>();
  case Table::event_notes: break;
  }
  return described<kNoteTable>();
}

struct TableText::Parts {
  Parts(Table its_table, TableFormat format, std::optional<DeviceId> its_device, TextSink write)
      : table(its_table), device(its_device),
        rows(text_rows(description_of(its_table).columns, format, std::move(write))),
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
