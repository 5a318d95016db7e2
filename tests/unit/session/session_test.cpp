#include "memviz/session.hpp"

#include "memviz/check.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "session/sinks.hpp"
#include "support/files.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <span>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

/// Two allocations with a mark between them; the first is freed before the end.
SnapshotBuilder two_allocations() {
  SnapshotBuilder builder;
  builder.segment(0x10000, 2 * MiB).inactive(4096).active(8192, 8000, {"train.py:2:step"}).inactive(2 * MiB - 12288);
  const auto at = [&](std::string_view action, std::uint64_t address, std::uint64_t size, std::int64_t time_us) {
    PythonValue event = dict({{"action", std::string(action)},
                              {"addr", address},
                              {"size", size},
                              {"stream", 0},
                              {"time_us", time_us},
                              {"frames", frames_of({"train.py:1:step"})}});
    builder.event(event);
  };
  at("alloc", 0x10000, 4000, 100);
  at("alloc", 0x11000, 8000, 300);
  at("free_requested", 0x10000, 4000, 400);
  at("free_completed", 0x10000, 4000, 400);
  builder.set("external_annotations",
              list({dict({{"name", "forward"}, {"stage", "START"}, {"device", 0}, {"time_us", 200}})}));
  return builder;
}

struct Counting final : EventSink {
  std::size_t events = 0;
  void take(DeviceId /*device*/, std::span<const Event> taken) override { events += taken.size(); }
  void restart() override { events = 0; }
};

class SessionTest {
protected:
  SessionTest() : path(folder / "run.pickle") { write_bytes(path, two_allocations().pickle()); }

  TemporaryFolder folder;
  std::string path;
};

std::uint64_t live_bytes(const Opened& opened) {
  return opened.state.devices.front().figures.requested_bytes;
}

} // namespace

TEST_CASE_FIXTURE(SessionTest, "a file without wants is its end, and its events are gone") {
  const Opened opened = open(path);
  CHECK(live_bytes(opened) == 8000);
  CHECK(opened.state.recording->traces.empty());
  CHECK_FALSE(opened.state.facts.front().birth);
  CHECK(opened.timeline.empty());
}

TEST_CASE_FIXTURE(SessionTest, "a moment is that of the state, whether or not events are kept") {
  for (const bool events : {false, true}) {
    CAPTURE(events);
    CHECK(live_bytes(open(path, {.moment = parse_moment("at", "peak"), .events = events})) == 12000);
    CHECK(live_bytes(open(path, {.moment = parse_moment("at", "annotation:forward"), .events = events})) == 4000);
    CHECK_THROWS_WITH_AS(static_cast<void>(open(path, {.moment = parse_moment("at", "event:9"), .events = events},
                                                {.name = "run.pickle"})),
                         "--at event:9: run.pickle has events 0 to 3 of GPU 0", UsageError);
  }
}

TEST_CASE_FIXTURE(SessionTest, "what is wanted comes with the state") {
  for (const bool events : {false, true}) {
    CAPTURE(events);
    Counting counting;
    const Opened opened = open(path, {.events = events, .births = true, .timeline = true, .sink = &counting});
    CHECK(opened.state.facts.front().birth);
    REQUIRE(opened.timeline.size() == 1);
    CHECK(opened.timeline.front().events == 4);
    CHECK(counting.events == 4);
    CHECK(opened.state.recording->traces.empty() == !events);
  }
}

TEST_CASE_FIXTURE(SessionTest, "an input is read as often as somebody looks") {
  Session session(path);
  Counting counting;
  static_cast<void>(session.open({.sink = &counting}));
  static_cast<void>(session.read(counting));
  CHECK(counting.events == 8);
}

TEST_CASE_FIXTURE(SessionTest, "bytes in memory are opened as a file is") {
  for (const bool events : {false, true}) {
    CAPTURE(events);
    const Wants wants{.moment = parse_moment("at", "annotation:forward"), .events = events, .kinds = true};
    const MemoryState state = Session(input_of(read_bytes(path))).open(wants).state;
    CHECK(stats_json("mem", state, {}) == stats_json("mem", open(path, wants).state, {}));
  }
  CHECK_THROWS_AS(static_cast<void>(Session(input_of("Dear diary")).open()), Error);
}

TEST_CASE_FIXTURE(SessionTest, "a foreign file is refused when it is opened, and is an answer for a check") {
  const std::string text = folder / "notes.txt";
  write_bytes(text, "Dear diary, today memory ran out.\n");
  CHECK_THROWS_AS(static_cast<void>(open(text)), Error);
  const CheckReport report = check(text, CheckDepth::whole, {});
  CHECK_FALSE(report.recording);
  CHECK_FALSE(report.survey);
  CHECK_FALSE(report.error.empty());
}

TEST_CASE_FIXTURE(SessionTest, "a check counts opcodes, and replays unless the structure alone is asked for") {
  const CheckReport whole = check(path, CheckDepth::whole, {});
  CHECK(whole.survey);
  CHECK(whole.state);
  CHECK(whole.is_balanced());
  const CheckReport structure = check(path, CheckDepth::structure, {});
  CHECK_FALSE(structure.survey);
  CHECK_FALSE(structure.state);
  CHECK(structure.recording);
}
