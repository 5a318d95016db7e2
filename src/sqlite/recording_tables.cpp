#include "sqlite/recording_tables.hpp"

#include "memviz/source_line.hpp"

#include <optional>

namespace memviz {

namespace {

constexpr const char* kTables = R"(
CREATE TABLE memviz_devices (
  device INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  events INTEGER NOT NULL,
  baseline_bytes INTEGER NOT NULL,
  peak_bytes INTEGER NOT NULL,
  peak_event INTEGER,
  moment TEXT NOT NULL
);
CREATE TABLE memviz_segments (
  id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL,
  address INTEGER NOT NULL,
  total_bytes INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  pool_first INTEGER NOT NULL,
  pool_second INTEGER NOT NULL,
  is_expandable INTEGER NOT NULL,
  is_large INTEGER,
  stack INTEGER
);
CREATE TABLE memviz_blocks (
  id INTEGER PRIMARY KEY,
  segment INTEGER NOT NULL,
  device INTEGER NOT NULL,
  address INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  requested_bytes INTEGER NOT NULL,
  state TEXT NOT NULL,
  stack INTEGER
);
CREATE TABLE memviz_live (
  id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL,
  address INTEGER,
  requested_bytes INTEGER NOT NULL,
  stack INTEGER,
  alloc_event INTEGER,
  kind TEXT NOT NULL,
  known_by TEXT NOT NULL,
  line TEXT NOT NULL
);
CREATE TABLE memviz_keepers (
  id INTEGER PRIMARY KEY,
  device INTEGER NOT NULL,
  address INTEGER NOT NULL,
  requested_bytes INTEGER NOT NULL,
  keeper TEXT,
  root TEXT NOT NULL,
  path TEXT NOT NULL,
  is_through_graph INTEGER NOT NULL,
  retained_bytes INTEGER
);
CREATE TABLE memviz_events (
  device INTEGER NOT NULL,
  event INTEGER NOT NULL,
  action TEXT NOT NULL,
  address INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  stream INTEGER NOT NULL,
  time_us INTEGER,
  stack INTEGER,
  pool_first INTEGER,
  pool_second INTEGER,
  compile_context INTEGER
);
CREATE TABLE memviz_event_notes (
  device INTEGER NOT NULL,
  event INTEGER NOT NULL,
  action_text INTEGER,
  user_metadata INTEGER,
  internal_metadata INTEGER,
  forward_stack INTEGER,
  PRIMARY KEY (device, event)
) WITHOUT ROWID;
CREATE TABLE memviz_stacks (
  stack INTEGER NOT NULL,
  ordering INTEGER NOT NULL,
  frame INTEGER NOT NULL,
  PRIMARY KEY (stack, ordering)
) WITHOUT ROWID;
CREATE TABLE memviz_frames (
  id INTEGER PRIMARY KEY,
  function INTEGER NOT NULL,
  file INTEGER NOT NULL,
  line INTEGER
);
CREATE TABLE memviz_texts (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL
);
)";

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
  Insertion stacks(database, "INSERT INTO memviz_stacks VALUES (?, ?, ?)");
  for (std::uint32_t stack = 0; stack < frames.stack_count(); ++stack) {
    std::int64_t ordering = 0;
    for (const FrameId frame : frames.stack({stack}))
      stacks.row(stack, ordering++, frame.value);
  }
  Insertion rows(database, "INSERT INTO memviz_frames VALUES (?, ?, ?, ?)");
  for (std::uint32_t id = 0; id < frames.frame_count(); ++id) {
    const Frame& frame = frames.frame({id});
    rows.row(id, frame.name.value, frame.filename.value,
             is_line(frame.line) ? std::optional(frame.line) : std::nullopt);
  }
}

} // namespace

StoredEvents::StoredEvents(Database& database, std::optional<DeviceId> device)
    : database_(database), rows_(database, "INSERT INTO memviz_events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      notes_(database, "INSERT INTO memviz_event_notes VALUES (?, ?, ?, ?, ?, ?)"), events_(&rows_, &notes_, device) {
}

void StoredEvents::restart() {
  database_.run("DELETE FROM memviz_events; DELETE FROM memviz_event_notes;");
  events_.restart();
}

void create_recording_tables(Database& database) {
  database.run(kTables);
}

void write_recording_tables(Database& database, const SqliteSubject& subject, std::optional<DeviceId> device) {
  const MemoryState& state = subject.state;
  const auto rows = [&](const char* sql) { return Insertion(database, sql); };
  Insertion devices = rows("INSERT INTO memviz_devices VALUES (?, ?, ?, ?, ?, ?, ?)");
  write_device_rows(devices, state, device);
  Insertion segments = rows("INSERT INTO memviz_segments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  write_segment_rows(segments, state.recording->end, device);
  Insertion blocks = rows("INSERT INTO memviz_blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  write_block_rows(blocks, state.recording->end, device);
  Insertion live = rows("INSERT INTO memviz_live VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  write_live_rows(live, state, device);
  Insertion keepers = rows("INSERT INTO memviz_keepers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  write_keeper_rows(keepers, *state.recording, device);
  write_stacks(database, state.frames());
  Insertion texts = rows("INSERT INTO memviz_texts VALUES (?, ?)");
  write_text_rows(texts, state.frames());
}

void create_recording_indexes(Database& database) {
  database.run(kIndexes);
}

} // namespace memviz
