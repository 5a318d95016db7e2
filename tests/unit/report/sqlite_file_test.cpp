#include "memviz/sqlite_file.hpp"

#include "memviz/error.hpp"
#include "memviz/kinds.hpp"
#include "memviz/replay.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;

namespace {

/// The answer to a query, a text for each value, "NULL" for none.
class Reader {
public:
  explicit Reader(const std::string& path) {
    REQUIRE(sqlite3_open_v2(path.c_str(), &handle_, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { sqlite3_close(handle_); }

  std::vector<std::string> row(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    REQUIRE_MESSAGE(sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK,
                    sqlite3_errmsg(handle_));
    std::vector<std::string> values;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      for (int i = 0; i < sqlite3_column_count(statement); ++i) {
        const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
        const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, i));
        values.push_back(text == nullptr ? "NULL" : std::string(text, size));
      }
    }
    sqlite3_finalize(statement);
    return values;
  }

private:
  sqlite3* handle_ = nullptr;
};

using Values = std::vector<std::string>;

/// Everything of a recording, with the rules that make `weight` of a file's name a parameter and `kept` an activation.
std::string written(Recording made, const test::TemporaryFolder& folder, const SqliteTables& tables) {
  const std::string path = folder / "out.sqlite";
  const auto recording = std::make_shared<const Recording>(std::move(made));
  KindWatch watch(KindRules("parameter weight\nactivation kept\n"));
  MemoryState state = rewind(recording, {.kind = MomentKind::peak}, &watch);
  add_kinds(state, watch);
  const MemoryReport report = memory_report(state, {}, tables.device);
  const ProjectFiles project(state, std::nullopt);
  const SqliteSubject subject{
      .file = "mem.pickle", .version = "1.2", .state = state, .report = report, .project = project};
  check_proportion(subject);
  SqliteFile file(path, tables);
  if (file.events() != nullptr) take_events(*recording, *file.events());
  file.finish(subject);
  return path;
}

constexpr SqliteTables kAll{.report = true, .recording = true, .device = {}};

} // namespace

TEST_CASE("an entry leads to its stack, the innermost frame first") {
  const test::TemporaryFolder folder;
  test::SmallSnapshot made;
  made.segment(0x1000, 1024)
      .active(512, 500, made.stack({"/app/train.py:3:main", "/app/weight.py:7:build", "??:0:at::empty"}))
      .active(512, 400, made.stack({"/app/train.py:4:main", "/app/net/kept.py:8:forward"}));
  Reader reader(written(made.take(), folder, {}));
  CHECK(reader.row("PRAGMA integrity_check") == Values{"ok"});
  CHECK(reader.row("SELECT * FROM weight_entries") == Values{"1", "build weight.py:7", "500", "0"});
  CHECK(reader.row("SELECT * FROM activation_entries") == Values{"1", "forward", "400"});
  CHECK(reader.row("SELECT * FROM stack_correlation") == Values{"1", "1", "1", "2", "1", "2"});
  CHECK(reader.row("SELECT * FROM stack_frames") == Values{"1", "0", "weight.py", "7", "1", "1", "train.py", "3", "2",
                                                           "0", "net/kept.py", "8", "2", "1", "train.py", "4"});
  CHECK(reader.row("SELECT * FROM misc_sizes") == Values{"peak_usage_bytes", "900"});
  CHECK(reader.row("SELECT value FROM memviz_report WHERE key IN ('file', 'memviz_version', 'kind.parameter_bytes')"
                   " ORDER BY key") == Values{"mem.pickle", "500", "1.2"});
}

TEST_CASE("an entry without frames in the project has its row all the same") {
  const test::TemporaryFolder folder;
  test::SmallSnapshot made;
  made.segment(0x1000, 512).active(512, 500, made.stack({"/lib/python3.12/site-packages/weight.py:7:build"}));
  Reader reader(written(made.take(), folder, {}));
  CHECK(reader.row("SELECT count(*) FROM stack_correlation") == Values{"1"});
  CHECK(reader.row("SELECT count(*) FROM stack_frames") == Values{"0"});
}

TEST_CASE("the tables of a recording are all that the file says") {
  const test::TemporaryFolder folder;
  test::SmallSnapshot made;
  const StackId stack = made.stack({"/app/train.py:3:main"});
  const std::uint64_t high = 0xffff'8000'0000'1000;
  made.segment(high, 2048, 7).active(512, 500, stack).inactive(1536);
  made.time(1000).event(Action::alloc, high, 500, stack);
  made.time(1001).event(Action::alloc, high + 512, 300, stack).event(Action::free_completed, high + 512, 300);
  Reader reader(written(made.take(), folder, kAll));
  CHECK(reader.row("SELECT device, printf('0x%x', address), total_bytes, stream FROM memviz_segments") ==
        Values{"0", "0xffff800000001000", "2048", "7"});
  CHECK(reader.row("SELECT size_bytes, requested_bytes, state FROM memviz_blocks ORDER BY id") ==
        Values{"512", "500", "active_allocated", "1536", "0", "inactive"});
  CHECK(reader.row("SELECT event, action, size_bytes, time_us FROM memviz_events ORDER BY event") ==
        Values{"0", "alloc", "500", "1000", "1", "alloc", "300", "1001", "2", "free_completed", "300", "1001"});
  CHECK(reader.row("SELECT event, live_bytes FROM memviz_live_bytes") ==
        Values{"-1", "0", "0", "500", "1", "800", "2", "500"});
  CHECK(reader.row("SELECT * FROM memviz_top_lines") == Values{"0", "main train.py:3", "800", "2"});
  CHECK(reader.row("SELECT ordering, function, file, line FROM memviz_stack_lines") ==
        Values{"0", "main", "/app/train.py", "3"});
  CHECK(reader.row("SELECT address FROM memviz_events WHERE event = 0") ==
        reader.row("SELECT address FROM memviz_blocks WHERE id = 1"));
}

TEST_CASE("what only few events have is in its own table, by device and event") {
  const test::TemporaryFolder folder;
  test::SmallSnapshot made;
  made.event(Action::alloc, 0x1000, 500).annotate(0x2000, "step 3");
  made.event(Action::alloc, 0x3000, 500);
  Reader reader(written(made.take(), folder, kAll));
  CHECK(reader.row("SELECT event, address, text FROM memviz_events JOIN memviz_event_notes USING (device, event) "
                   "JOIN memviz_texts ON id = user_metadata") == Values{"1", "8192", "step 3"});
  CHECK(reader.row("SELECT count(*) FROM memviz_event_notes") == Values{"1"});
}

TEST_CASE("tables of one device have nothing of another") {
  const test::TemporaryFolder folder;
  test::SmallSnapshot made;
  for (const std::uint32_t device : {0U, 1U}) {
    made.segment(0x1000, 512, 0, device).active(512, 500);
    made.event(Action::alloc, 0x1000, 500, kNoFrames, device);
  }
  Reader reader(written(made.take(), folder, {.report = true, .recording = true, .device = DeviceId{1}}));
  for (const char* table : {"memviz_devices", "memviz_segments", "memviz_blocks", "memviz_events", "memviz_live"})
    CHECK(reader.row(std::string("SELECT device FROM ") + table) == Values{"1"});
}

TEST_CASE("a recording that is read a second time has its events once") {
  const test::TemporaryFolder folder;
  test::SmallSnapshot made;
  made.event(Action::alloc, 0x1000, 500).event(Action::free_completed, 0x1000, 500);
  const auto recording = std::make_shared<const Recording>(made.take());
  MemoryState state = replay(recording);
  const MemoryReport report;
  const ProjectFiles project(state, std::nullopt);
  SqliteFile file(folder / "out.sqlite", {.report = false, .recording = true, .device = {}});
  take_events(*recording, *file.events());
  file.events()->restart();
  take_events(*recording, *file.events());
  file.finish({.file = "f", .version = "1", .state = state, .report = report, .project = project});
  CHECK(Reader(folder / "out.sqlite").row("SELECT event FROM memviz_events") == Values{"0", "1"});
}

TEST_CASE("no text of a file is more than a table can hold, or anything but one line") {
  const test::TemporaryFolder folder;
  test::SmallSnapshot made;
  FrameTable& frames = made.frames();
  std::string name = std::string("we\0ight\n\x1b[31m", 12) + "\xff";
  name.resize(10'000'000, 'x');
  const FrameId frame = frames.add_frame({frames.intern(name), frames.intern("/app/weight.py"), 3});
  made.segment(0x1000, 512).active(512, 500, frames.add_stack(std::vector<FrameId>{frame}));
  Reader reader(written(made.take(), folder, kAll));
  CHECK(reader.row("PRAGMA integrity_check") == Values{"ok"});
  for (const std::string& text : reader.row("SELECT text FROM memviz_texts")) {
    CHECK(text.size() < 70'000);
    CHECK(text.find_first_of(std::string_view("\0\n\x1b\xff", 4)) == std::string::npos);
  }
  CHECK(reader.row("SELECT name FROM weight_entries")[0].size() < 1000);
}

TEST_CASE("stacks that are out of all proportion to the file are refused") {
  const test::TemporaryFolder folder;
  test::SmallSnapshot made;
  FrameTable& frames = made.frames();
  std::vector<FrameId> stack;
  for (std::int64_t line = 1; line <= 1000; ++line)
    stack.push_back(
        frames.add_frame({frames.intern("f"), frames.intern("/app/" + std::string(1000, 'w') + "/weight.py"), line}));
  frames.intern("/app/x.py");
  frames.add_frame({frames.intern("f"), frames.intern("/app/x.py"), 1});
  const StackId id = frames.add_stack(stack);
  made.segment(0x1000, 512 * 200);
  for (int i = 0; i < 200; ++i)
    made.active(512, 500, id);
  CHECK_THROWS_AS(static_cast<void>(written(made.take(), folder, {})), Error);
}

TEST_CASE("a database that cannot be written says why") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(SqliteFile(folder / "none/out.sqlite", {}), Error);
  test::write_bytes(folder / "text", std::string(5000, 'x'));
  CHECK_THROWS_AS(SqliteFile(folder / "text", {}), Error);
}
