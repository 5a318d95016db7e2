#include "sqlite/recording_tables.hpp"

#include "export/table_columns.hpp"
#include "memviz/source_line.hpp"

#include <fmt/format.h>
#include <optional>
#include <string>

namespace memviz {

namespace {

struct StackFrame {
  std::uint32_t stack;
  std::int64_t ordering;
  std::uint32_t frame;
};

constexpr auto kStackTable = json_object<StackFrame>(
    {.meaning = "frame of a stack", .name = "stacks"}, member("stack", "Number of the stack", &StackFrame::stack),
    member("ordering", "Place of the frame; 0: innermost", &StackFrame::ordering),
    member("frame", "In frames", &StackFrame::frame));

struct NumberedFrame {
  std::uint32_t id;
  const Frame* frame;
};

constexpr auto kFrameTable = json_object<NumberedFrame>(
    {.meaning = "frame", .name = "frames"}, member("id", "Its number", &NumberedFrame::id),
    member("function", "Its function, in texts", [](const NumberedFrame& row) { return row.frame->name.value; }),
    member("file", "Its file, in texts", [](const NumberedFrame& row) { return row.frame->filename.value; }),
    member("line", "Its line; null where it is unknown", [](const NumberedFrame& row) {
      return is_line(row.frame->line) ? std::optional(row.frame->line) : std::nullopt;
    }));

/// Returns the statement that creates a table whose rows the first `keys` columns identify.
std::string creation(const TableDescription& table, std::size_t keys) {
  std::string columns;
  for (const TableColumn& column : table.columns) {
    const bool is_key = keys == 1 && columns.empty();
    columns +=
        fmt::format("{}\n  {} {}{}", columns.empty() ? "" : ",", column.name, column.is_text ? "TEXT" : "INTEGER",
                    is_key ? " PRIMARY KEY" : (column.may_be_null ? "" : " NOT NULL"));
  }
  if (keys == 2) columns += fmt::format(",\n  PRIMARY KEY ({}, {})", table.columns[0].name, table.columns[1].name);
  return fmt::format("CREATE TABLE memviz_{} ({}\n){};", table.name, columns, keys == 2 ? " WITHOUT ROWID" : "");
}

Insertion insertion(Database& database, const TableDescription& table) {
  std::string sql = fmt::format("INSERT INTO memviz_{} VALUES (?", table.name);
  for (std::size_t i = 1; i < table.columns.size(); ++i)
    sql += ", ?";
  return {database, sql + ')'};
}

constexpr const char* kIndexes = R"(
CREATE INDEX memviz_segments_by_address ON memviz_segments(address);
CREATE INDEX memviz_blocks_by_address ON memviz_blocks(address);
CREATE INDEX memviz_events_by_address ON memviz_events(address);
CREATE VIEW memviz_stack_lines AS
  SELECT s.stack, s.ordering, function.text AS function, file.text AS file, f.line
  FROM memviz_stacks AS s JOIN memviz_frames AS f ON f.id = s.frame
  JOIN memviz_texts AS function ON function.id = f.function JOIN memviz_texts AS file ON file.id = f.file;
CREATE VIEW memviz_top_lines AS
  SELECT device, line, sum(requested_bytes) AS bytes, count(*) AS allocations
  FROM memviz_live GROUP BY device, line ORDER BY bytes DESC, line;
CREATE VIEW memviz_live_bytes AS
  SELECT device, -1 AS event, NULL AS time_us, baseline_bytes AS live_bytes FROM memviz_devices
  UNION ALL
  SELECT e.device, e.event, e.time_us, d.baseline_bytes + sum(CASE e.action WHEN 'alloc' THEN e.size_bytes
      WHEN 'free_completed' THEN -e.size_bytes ELSE 0 END) OVER (PARTITION BY e.device ORDER BY e.event ROWS UNBOUNDED PRECEDING)
  FROM memviz_events AS e JOIN memviz_devices AS d ON d.device = e.device;
)";

void write_stacks(Database& database, const FrameTable& frames) {
  Insertion stacks = insertion(database, described<kStackTable>());
  for (std::uint32_t stack = 0; stack < frames.stack_count(); ++stack) {
    std::int64_t ordering = 0;
    for (const FrameId frame : frames.stack({stack}))
      write_row(stacks, kStackTable, {stack, ordering++, frame.value});
  }
  Insertion rows = insertion(database, described<kFrameTable>());
  for (std::uint32_t id = 0; id < frames.frame_count(); ++id)
    write_row(rows, kFrameTable, {id, &frames.frame({id})});
}

} // namespace

StoredEvents::StoredEvents(Database& database, std::optional<DeviceId> device)
    : database_(database), rows_(insertion(database, description_of(Table::events))),
      notes_(insertion(database, description_of(Table::event_notes))), events_(&rows_, &notes_, device) {
}

void StoredEvents::restart() {
  database_.run("DELETE FROM memviz_events; DELETE FROM memviz_event_notes;");
  events_.restart();
}

void create_recording_tables(Database& database) {
  for (const Table table : {Table::devices, Table::segments, Table::blocks, Table::live, Table::keepers})
    database.run(creation(description_of(table), 1).c_str());
  database.run(creation(description_of(Table::events), 0).c_str());
  database.run(creation(description_of(Table::event_notes), 2).c_str());
  database.run(creation(described<kStackTable>(), 2).c_str());
  database.run(creation(described<kFrameTable>(), 1).c_str());
  database.run(creation(description_of(Table::texts), 1).c_str());
}

void write_recording_tables(Database& database, const SqliteSubject& subject, std::optional<DeviceId> device) {
  const MemoryState& state = subject.state;
  const auto rows = [&](Table table) { return insertion(database, description_of(table)); };
  Insertion devices = rows(Table::devices);
  write_device_rows(devices, state, device);
  Insertion segments = rows(Table::segments);
  write_segment_rows(segments, state.recording->end, device);
  Insertion blocks = rows(Table::blocks);
  write_block_rows(blocks, state.recording->end, device);
  Insertion live = rows(Table::live);
  write_live_rows(live, state, device);
  Insertion keepers = rows(Table::keepers);
  write_keeper_rows(keepers, *state.recording, device);
  write_stacks(database, state.frames());
  Insertion texts = rows(Table::texts);
  write_text_rows(texts, state.frames());
}

void create_recording_indexes(Database& database) {
  database.run(kIndexes);
}

} // namespace memviz
