#include "memviz/trace.hpp"

#include "memviz/error.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace memviz {

using nlohmann::json;
using test::dict;
using test::SnapshotBuilder;

namespace {

struct Logged {
  std::string text;
  std::uint64_t shown = 0;
};

/// Both passes over the bytes of a snapshot, as `memviz trace` does them.
Logged logged(const std::string& bytes, const TraceOptions& options) {
  TraceSurvey survey;
  ReadOptions first;
  first.sink = &survey;
  const Recording snapshot = read_snapshot(bytes, first);
  Logged result;
  TraceLog log(snapshot, survey, options, [&](std::string_view piece) { result.text += piece; });
  ReadOptions second;
  second.sink = &log;
  static_cast<void>(read_snapshot(bytes, second));
  result.shown = log.finish();
  return result;
}

std::vector<json> objects(const std::string& bytes, TraceOptions options = {}) {
  options.format = TraceFormat::ndjson;
  std::vector<json> result;
  std::istringstream lines(logged(bytes, options).text);
  for (std::string line; std::getline(lines, line);)
    result.push_back(json::parse(line));
  return result;
}

test::PythonValue event(const char* action, std::uint64_t address, std::uint64_t size, std::int64_t time_us) {
  return dict({{"action", action}, {"addr", address}, {"size", size}, {"stream", 0}, {"time_us", time_us}});
}

test::PythonValue mark(const char* name, const char* stage, std::int64_t time_us) {
  return dict({{"name", name}, {"stage", stage}, {"device", 0}, {"time_us", time_us}});
}

/// One address three times, another across; times in microseconds.
std::string reuse() {
  SnapshotBuilder builder;
  builder.event(event("free_completed", 0x1000, 100, 10)); // from before the recording
  builder.event(event("alloc", 0x1000, 200, 20));
  builder.event(event("alloc", 0x9000, 50, 25));
  builder.event(event("free_requested", 0x1000, 200, 30));
  builder.event(event("free_completed", 0x1000, 200, 45));
  builder.event(event("alloc", 0x1000, 300, 50));
  builder.event(event("free_requested", 0x1000, 300, 60));
  builder.event(event("free_completed", 0x1000, 300, 60));
  return builder.pickle();
}

/// An annotation of what was allocated, of what was freed and allocated again, and of what nobody has.
std::string annotated() {
  SnapshotBuilder builder;
  const auto annotate = [&](std::uint64_t address, const char* text, std::int64_t time_us) {
    builder.event(dict({{"action", "annotate"},
                        {"addr", address},
                        {"size", 200},
                        {"stream", 0},
                        {"time_us", time_us},
                        {"user_metadata", text}}));
  };
  builder.event(event("alloc", 0x1000, 200, 10));
  annotate(0x1000, "the weights", 20);
  builder.event(event("free_requested", 0x1000, 200, 30));
  builder.event(event("free_completed", 0x1000, 200, 30));
  builder.event(dict({{"action", "alloc"},
                      {"addr", 0x1000},
                      {"size", 300},
                      {"stream", 0},
                      {"time_us", 40},
                      {"internal_metadata", "a tag"},
                      {"frames", test::frames_of({"/app/train.py:12:step"})},
                      {"forward_frames", test::list({"layers.py:58 forward"})}}));
  annotate(0x1000, "a page", 50);
  annotate(0x9000, "unknown", 60);
  return builder.pickle();
}

std::vector<std::string> names_of(const std::vector<json>& lines) {
  std::vector<std::string> names;
  for (const json& line : lines)
    names.push_back(line.value("name", ""));
  return names;
}

std::vector<std::uint64_t> indices_of(const std::vector<json>& lines) {
  std::vector<std::uint64_t> indices;
  for (const json& line : lines)
    if (line["kind"] == "event") indices.push_back(line["event"]);
  return indices;
}

using Indices = std::vector<std::uint64_t>;

} // namespace

TEST_CASE("an annotation names the allocation that it is of, and ends nothing") {
  TraceOptions options;
  options.filter.actions = {Action::annotate};
  const std::vector<json> lines = objects(annotated(), options);
  CHECK(names_of(lines) == std::vector<std::string>{"b1000_0", "b1000_1", "b9000_0"});
  CHECK(lines[0]["user_metadata"] == "the weights");
  CHECK(lines[0]["began_event"] == 0);
  CHECK(lines[1]["began_event"] == 4);
  CHECK_FALSE(lines[0].contains("lived_events"));
  CHECK_FALSE(lines[2].contains("began_event"));
  const std::string text = logged(annotated(), options).text;
  CHECK(text.find("annotate        b1000_0") != std::string::npos);
  CHECK(text.find("[since event 0; the weights]") != std::string::npos);
  CHECK(names_of(objects(annotated())) ==
        std::vector<std::string>{"b1000_0", "b1000_0", "b1000_0", "b1000_0", "b1000_1", "b1000_1", "b9000_0"});
}

TEST_CASE("what PyTorch itself says of an allocation is shown, and where its backward pass comes from") {
  TraceOptions options;
  options.stacks = true;
  const std::vector<json> lines = objects(annotated(), options);
  CHECK(lines[4]["internal_metadata"] == "a tag");
  CHECK(lines[4]["forward_frames"] == json::array({"layers.py:58 forward"}));
  CHECK_FALSE(lines[0].contains("forward_frames"));
  const std::string text = logged(annotated(), options).text;
  CHECK(text.find("[a tag]\n        /app/train.py:12: step\n        forward: layers.py:58 forward\n") !=
        std::string::npos);
}

TEST_CASE("an allocation is named by its address and how often that address was used before") {
  CHECK(names_of(objects(reuse())) == std::vector<std::string>{"b1000_0", "b1000_1", "b9000_0", "b1000_1", "b1000_1",
                                                               "b1000_2", "b1000_2", "b1000_2"});
}

TEST_CASE("a free says when its allocation began, how long it lived, and how long it waited") {
  const auto lines = objects(reuse());
  CHECK(!lines[0].contains("began_event"));
  CHECK(lines[4]["began_event"] == 1);
  CHECK(lines[4]["lived_events"] == 3);
  CHECK(lines[4]["lived_us"] == 25);
  CHECK(lines[4]["pending_events"] == 1);
  CHECK(lines[4]["pending_us"] == 15);
  CHECK(lines[3]["lived_us"] == 10);
  CHECK(!lines[3].contains("pending_events"));
}

TEST_CASE("an alloc where something lives is the next use of the address") {
  SnapshotBuilder builder;
  builder.alloc(0x1000, 1).alloc(0x1000, 2).free(0x1000, 2);
  CHECK(names_of(objects(builder.pickle())) == std::vector<std::string>{"b1000_0", "b1000_1", "b1000_1", "b1000_1"});
  CHECK(objects(builder.pickle())[2]["began_event"] == 1);
}

TEST_CASE("segments have names of their own") {
  SnapshotBuilder builder;
  builder.event("segment_alloc", 0x200000, 2097152).alloc(0x200000, 8).free(0x200000, 8);
  builder.event("segment_free", 0x200000, 2097152).event("segment_alloc", 0x200000, 2097152);
  const auto lines = objects(builder.pickle());
  CHECK(lines[0]["name"] == "s200000_0");
  CHECK(lines[1]["name"] == "b200000_0");
  CHECK(lines[4]["name"] == "s200000_0");
  CHECK(lines[4]["lived_events"] == 4);
  CHECK(lines[5]["name"] == "s200000_1");
}

TEST_CASE("an out-of-memory error has no address, but what the device had left") {
  SnapshotBuilder builder;
  builder.event(dict({{"action", "oom"}, {"device_free", 4096}, {"size", 8192}, {"stream", 0}, {"time_us", 7}}));
  const auto lines = objects(builder.pickle());
  CHECK(lines.at(0)["device_free_bytes"] == 4096);
  CHECK(lines[0]["size_bytes"] == 8192);
  CHECK(!lines[0].contains("address"));
  CHECK(!lines[0].contains("name"));
}

TEST_CASE("a line of text has index, times, name, both sizes, the user's own line, and the lifetime") {
  SnapshotBuilder builder;
  auto alloc = event("alloc", 0x7f0000000000, 1536, 1'700'000'000'000'000);
  alloc.set("frames",
            test::frames_of({"/opt/lib/python3.11/site-packages/torch/nn/f.py:3:linear", "/app/model.py:12:forward"}));
  builder.event(alloc).event(event("free_completed", 0x7f0000000000, 1536, 1'700'000'002'500'000));
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

TEST_CASE("filters leave out what they say, and names and lifetimes stay those of the whole trace") {
  TraceOptions options;
  SUBCASE("action") {
    options.filter.actions = {Action::free_completed};
    CHECK(indices_of(objects(reuse(), options)) == Indices{0, 4, 7});
    CHECK(objects(reuse(), options)[1]["name"] == "b1000_1");
    CHECK(objects(reuse(), options)[1]["lived_us"] == 25);
  }
  SUBCASE("an address inside an allocation") {
    options.filter.address = TraceAddress{0x1000 + 250, {}};
    CHECK(indices_of(objects(reuse(), options)) == Indices{5, 6, 7});
  }
  SUBCASE("a name") {
    options.filter.address = TraceAddress{0x1000, TraceAddress::Name{1, false}};
    CHECK(indices_of(objects(reuse(), options)) == Indices{1, 3, 4});
    options.filter.address = TraceAddress{0x1000, TraceAddress::Name{1, true}};
    CHECK(objects(reuse(), options).empty());
  }
  SUBCASE("size") {
    options.filter.min_bytes = 201;
    CHECK(indices_of(objects(reuse(), options)) == Indices{5, 6, 7});
  }
  SUBCASE("events, both ends included") {
    options.filter.range[DeviceId{0}] = {EventIndex(2), EventIndex(4), {}, {}};
    CHECK(indices_of(objects(reuse(), options)) == Indices{2, 3, 4});
  }
  SUBCASE("times") {
    options.filter.range[DeviceId{0}] = {EventIndex(0), EventIndex(100), 25, 45};
    CHECK(indices_of(objects(reuse(), options)) == Indices{2, 3, 4});
  }
  SUBCASE("stream and device") {
    options.filter.stream = 7;
    CHECK(objects(reuse(), options).empty());
    options.filter.stream = 0;
    CHECK(objects(reuse(), options).size() == 8);
    options.filter.device = DeviceId{1};
    CHECK(objects(reuse(), options).empty());
  }
  SUBCASE("stack") {
    SnapshotBuilder builder;
    builder.alloc(0x1000, 1, {"a.py:1:one"}).alloc(0x2000, 1, {"b.py:2:two", "a.py:9:main"}).alloc(0x3000, 1);
    options.filter.stack = "two|three";
    CHECK(indices_of(objects(builder.pickle(), options)) == Indices{1});
    options.filter.stack = "(";
    CHECK_THROWS_AS(objects(builder.pickle(), options), UsageError);
  }
}

TEST_CASE("annotations stand among the events by time, and in the range asked for") {
  SnapshotBuilder builder;
  builder.event(event("alloc", 0x1000, 1, 10))
      .event(event("alloc", 0x2000, 1, 20))
      .event(event("alloc", 0x3000, 1, 30));
  builder.set("external_annotations", test::list({mark("late", "START", 99), mark("step", "START", 20),
                                                  mark("step", "END", 25), mark("early", "START", 1)}));
  const std::string bytes = builder.pickle();
  const auto order = [](const std::vector<json>& lines) {
    std::string text;
    for (const json& line : lines)
      text += line["kind"] == "event" ? std::to_string(line["event"].get<int>()) + " "
                                      : line["name"].get<std::string>() + ":" + line["stage"].get<std::string>() + " ";
    return text;
  };
  CHECK(order(objects(bytes)) == "early:START 0 step:START 1 step:END 2 late:START ");
  TraceOptions options;
  options.filter.range[DeviceId{0}] = {EventIndex(1), EventIndex(1), {}, {}};
  CHECK(order(objects(bytes, options)) == "1 ");
  options.filter.range[DeviceId{0}] = {EventIndex(0), EventIndex(100), 20, 30};
  CHECK(order(objects(bytes, options)) == "step:START 1 step:END 2 ");
  options.filter = {};
  options.filter.annotations = false;
  CHECK(order(objects(bytes, options)) == "0 1 2 ");
}

TEST_CASE("the pool of an old file is told by the segments at the end, for what did not change until then") {
  SnapshotBuilder builder;
  builder.segment(0x200000, 2097152)
      .active(512, 512)
      .inactive(2097152 - 512)
      .set("segment_pool_id", test::tuple({0, 3}));
  builder.alloc(0x200000, 512).event("segment_free", 0x200000, 2097152).event("segment_alloc", 0x200000, 2097152);
  builder.alloc(0x200000, 512).alloc(0x900000, 512);
  const auto lines = objects(builder.pickle());
  CHECK(!lines[0].contains("pool"));
  CHECK(!lines[1].contains("pool"));
  CHECK(lines[2]["pool"] == json{0, 3});
  CHECK(lines[3]["pool"] == json{0, 3});
  CHECK(!lines[4].contains("pool"));
}

TEST_CASE("text from a file can neither move the cursor nor begin a line, and is cut") {
  SnapshotBuilder builder;
  auto hostile = event("\x1b[2Jalloc\nGPU 9", 0x1000, 1, 5);
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
  builder.event(event("alloc", 0x1000, 1, INT64_MIN)).event(event("free_completed", 0x1000, 1, INT64_MAX));
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
  std::vector<std::filesystem::path> files = test::files_in(test::testdata(), ".pickle");
  if (const auto shared = test::shared_folder()) {
    for (const auto& file : test::files_in(*shared / "snapshots", ".pickle"))
      files.push_back(file);
  } else {
    MESSAGE("no real snapshots beside this checkout: only the test data is read");
  }
  for (const auto& file : files) {
    CAPTURE(file);
    const std::string bytes = test::read_bytes(file.string());
    const Recording snapshot = read_snapshot(bytes);
    std::map<DeviceId, std::uint64_t> next;
    std::map<std::string, std::int64_t> alive; // names of one device are told apart by it
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
