#include "sqlite/recording_tables.hpp"

#include "analysis/tree/user_lines.hpp"
#include "base/printable.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "memviz/moment_words.hpp"
#include "memviz/source_line.hpp"

#include <algorithm>
#include <string>
#include <variant>

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

std::optional<std::uint32_t> id_of(StackId stack) {
  return stack == kNoFrames ? std::nullopt : std::optional(stack.value);
}

std::optional<std::int64_t> number_of(EventIndex event) {
  return event.is_none() ? std::nullopt : std::optional(event.number());
}

void write_devices(Database& database, const MemoryState& state, std::optional<DeviceId> device) {
  Insertion rows(database, "INSERT INTO memviz_devices VALUES (?, ?, ?, ?, ?, ?, ?)");
  for (const DeviceState& device_state : state.devices_of(device))
    rows.row(device_number(device_state.device), device_name(device_state.device, device_state.is_cpu),
             device_state.figures.events, device_state.figures.baseline_bytes,
             device_state.figures.peak_requested_bytes, number_of(device_state.peak_event), moment_text(device_state));
}

/// Those of the end of the recording, as the file has them.
void write_memory(Database& database, const MemoryMap& memory, std::optional<DeviceId> device) {
  Insertion segments(database, "INSERT INTO memviz_segments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
  Insertion blocks(database, "INSERT INTO memviz_blocks VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  std::int64_t id = 0;
  std::int64_t block_id = 0;
  for (const Segment& segment : memory.segments_of(device)) {
    segments.row(++id, device_number(segment.device), segment.address, segment.total_bytes, segment.stream,
                 segment.pool.first, segment.pool.second, segment.is_expandable, segment.is_large,
                 id_of(segment.stack));
    for (const Block& block : memory.blocks_of(segment))
      blocks.row(++block_id, id, device_number(segment.device), block.address, block.size_bytes, block.requested_bytes,
                 state_name(block.state), id_of(block.stack));
  }
}

/// What lives at the moment of the state, by the user's lines.
class LiveRows {
public:
  LiveRows(Database& database, const MemoryState& state)
      : state_(state), lines_(state), labels_(state.frames().frame_count()),
        rows_(database, "INSERT INTO memviz_live VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)") {}

  void add(std::optional<DeviceId> device) {
    for (const Segment& segment : state_.segments_of(device))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (state_.blocks[i].is_active()) add(segment.device, i);
    for (const DeviceState& of_device : state_.devices_of(device))
      for (const OutsideMemory& outside : of_device.outside)
        rows_.row(++id_, device_number(of_device.device), std::optional<std::uint64_t>(), outside.requested_bytes,
                  id_of(outside.stack), number_of(outside.alloc_event), kind_name(MemoryKind::unknown),
                  evidence_name(KindEvidence::none), label(lines_.line_of(of_device.device, outside)));
  }

private:
  void add(DeviceId device, std::uint32_t index) {
    const Block& block = state_.blocks[index];
    rows_.row(++id_, device_number(device), std::optional(block.address), block.requested_bytes, id_of(block.stack),
              number_of(state_.facts[index].history.alloc_event), kind_name(state_.facts[index].kind.kind),
              evidence_name(state_.facts[index].kind.evidence), label(lines_.line_of(device, index)));
  }

  [[nodiscard]] const std::string& label(const NodeKey& line) {
    const auto* const frame = std::get_if<FrameId>(&line);
    std::string& known = frame == nullptr ? other_ : labels_[frame->value];
    if (frame == nullptr || known.empty()) known = elided(node_label(state_.frames(), line), kMostColumns);
    return known;
  }

  static constexpr std::size_t kMostColumns = 200;

  const MemoryState& state_;
  UserLines lines_;
  std::vector<std::string> labels_; ///< by FrameId, of those that were asked for
  std::string other_;
  Insertion rows_;
  std::int64_t id_ = 0;
};

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
  Insertion texts(database, "INSERT INTO memviz_texts VALUES (?, ?)");
  for (std::uint32_t id = 0; id < frames.string_count(); ++id)
    texts.row(id, column_text(frames.text({id})));
}

} // namespace

void create_recording_tables(Database& database) {
  database.run(kTables);
}

void write_recording_tables(Database& database, const SqliteSubject& subject, std::optional<DeviceId> device) {
  const MemoryState& state = subject.state;
  write_devices(database, state, device);
  write_memory(database, state.recording->end, device);
  LiveRows(database, state).add(device);
  write_stacks(database, state.frames());
}

void create_recording_indexes(Database& database) {
  database.run(kIndexes);
}

} // namespace memviz
