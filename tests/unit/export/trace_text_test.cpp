#include "memviz/trace.hpp"

#include "memviz/error.hpp"
#include "support/files.hpp"
#include "support/traced.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>

namespace memviz {

using nlohmann::json;
using test::Logged;
using test::logged;
using test::mark;
using test::objects;
using test::SnapshotBuilder;
using test::traced_event;

TEST_CASE("a line of text has index, times, name, both sizes, the user's own line, and the lifetime") {
  SnapshotBuilder builder;
  auto alloc = traced_event("alloc", 0x7f0000000000, 1536, 1'700'000'000'000'000);
  alloc.set("frames",
            test::frames_of({"/opt/lib/python3.11/site-packages/torch/nn/f.py:3:linear", "/app/model.py:12:forward"}));
  builder.event(alloc).event(traced_event("free_completed", 0x7f0000000000, 1536, 1'700'000'002'500'000));
  const std::string text = logged(builder.pickle(), {}).text;
  CHECK(text.find("GPU 0: 2 events, the first at 2023-11-14 22:13:20.000000 UTC\n") == 0);
  CHECK(text.find("\n      0      0.000000             alloc           b7f0000000000_0     1.50 KiB            1,536  "
                  "forward model.py:12\n") != std::string::npos);
  CHECK(text.find("\n      1      2.500000    +2.50 s  free_completed  b7f0000000000_0     1.50 KiB            1,536  "
                  "[since event 0, lived 1 event, 2.50 s]\n") != std::string::npos);
  TraceOptions options;
  options.time = TraceTime::absolute;
  CHECK(logged(builder.pickle(), options).text.find("  2023-11-14 22:13:22.500000    +2.50 s  free_completed") !=
        std::string::npos);
  options.stacks = true;
  CHECK(logged(builder.pickle(), options).text.find("\n        /app/model.py:12: forward\n") != std::string::npos);
}

TEST_CASE("text from a file can neither move the cursor nor begin a line, and is cut") {
  SnapshotBuilder builder;
  auto hostile = traced_event("\x1b[2Jalloc\nGPU 9", 0x1000, 1, 5);
  hostile.set("user_metadata", std::string(100'000, 'x') + "\x1b]0;title\x07\r\n");
  hostile.set("frames", test::frames_of({"/app/a\x1b[1m\n.py:1:f\ng"}));
  builder.event(hostile);
  builder.set("external_annotations", test::list({mark("a\nb\x1b", "START\n", 5)}));
  TraceOptions options;
  options.stacks = true;
  const Logged log = logged(builder.pickle(), options);
  CHECK(log.text.find('\x1b') == std::string::npos);
  CHECK(log.text.find('\r') == std::string::npos);
  CHECK(std::count(log.text.begin(), log.text.end(), '\n') == 5); // device, columns, annotation, event, one frame
  CHECK(log.text.size() < 1000);
  CHECK(objects(builder.pickle(), options).at(1)["user_metadata"].get<std::string>().size() == 4096);
}

TEST_CASE("times at the ends of 64 bits are no trouble") {
  SnapshotBuilder builder;
  builder.event(traced_event("alloc", 0x1000, 1, INT64_MIN))
      .event(traced_event("free_completed", 0x1000, 1, INT64_MAX));
  CHECK(objects(builder.pickle()).size() == 2);
  const std::string text = logged(builder.pickle(), {}).text;
  CHECK(text.find("-9223372036854775808 us since 1970") != std::string::npos);
}

TEST_CASE("what the output throws ends the log, wherever the reader is") {
  SnapshotBuilder builder;
  for (int i = 0; i < 3000; ++i)
    builder.alloc(0x1000, 1).free(0x1000, 1);
  const std::string bytes = builder.pickle();
  TraceSurvey survey;
  ReadOptions first;
  first.sink = &survey;
  const Recording snapshot = read_snapshot(bytes, first);
  TraceLog log(snapshot, survey, {}, [](std::string_view) { throw Error("full"); });
  ReadOptions second;
  second.sink = &log;
  CHECK_THROWS_WITH_AS(static_cast<void>(read_snapshot(bytes, second)), "full", Error);
}

TEST_CASE("events that are not those of the first pass are noticed") {
  const auto with = [](int allocs) {
    SnapshotBuilder builder;
    for (int i = 0; i < allocs; ++i)
      builder.alloc(0x1000, 1, {"a.py:" + std::to_string(i) + ":f"}).free(0x1000, 1);
    return builder.pickle();
  };
  TraceSurvey survey;
  ReadOptions first;
  first.sink = &survey;
  const Recording snapshot = read_snapshot(with(3), first);
  const auto second_pass = [&](int allocs) {
    TraceLog log(snapshot, survey, {}, [](std::string_view) {});
    ReadOptions second;
    second.sink = &log;
    static_cast<void>(read_snapshot(with(allocs), second));
    return log.finish();
  };
  CHECK(second_pass(3) == 9);
  CHECK_THROWS_AS(second_pass(2), Error);
  CHECK_THROWS_AS(second_pass(9), Error);
}

TEST_CASE("every event of every real snapshot and of the test data has its line, in order") {
  for (const auto& file : test::snapshots_in(test::testdata())) {
    CAPTURE(file);
    const std::string bytes = test::read_bytes(file.string());
    const Recording snapshot = read_snapshot(bytes);
    std::map<DeviceId, std::uint64_t> next;
    std::map<std::string, std::int64_t> alive; // names of one device are distinguished by it
    for (const json& line : objects(bytes)) {
      if (line["kind"] != "event") continue;
      const DeviceId device = line["device"] == "host" ? kHostDevice : DeviceId{line["device"].get<std::uint32_t>()};
      const std::uint64_t index = line["event"];
      REQUIRE(index == next[device]++);
      const Event event = snapshot.traces[device][index];
      REQUIRE(line["size_bytes"] == event.size_bytes);
      REQUIRE(line.value("time_us", std::int64_t{-1}) == event.time_us.value_or(-1));
      const std::string name = std::to_string(device.value) + line.value("name", "");
      // No two allocations have one name, and a free that knows its alloc names it.
      if (event.action == Action::alloc) REQUIRE(alive.try_emplace(name, event.size_bytes).second);
      if (event.action == Action::free_completed && line.contains("began_event")) {
        const std::uint64_t began = line["began_event"];
        REQUIRE(snapshot.traces[device][began].action == Action::alloc);
        REQUIRE(snapshot.traces[device][began].address == event.address);
        REQUIRE(alive.contains(name));
      }
    }
    for (const auto& [device, events] : snapshot.traces)
      CHECK(next[device] == events.size());
  }
}

} // namespace memviz
