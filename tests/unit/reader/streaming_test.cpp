#include "memviz/error.hpp"
#include "memviz/input.hpp"
#include "memviz/recording.hpp"
#include "pickle/machine.hpp"
#include "support/files.hpp"
#include "support/opcodes.hpp"
#include "support/snapshot_builder.hpp"
#include "support/snapshot_text.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

// Events that are converted while the file is decoded must be what they are when everything is decoded first.

using namespace memviz;
using namespace memviz::test;

namespace {

std::string outcome(std::string_view bytes, const ReadOptions& options) {
  try {
    return snapshot_text(read_snapshot(bytes, options));
  } catch (const Error& error) {
    return error.what();
  }
}

void check_same(std::string_view bytes) {
  const std::string whole = outcome(bytes, {.sink = nullptr, .threads = 1, .stream = false, .on_progress = {}});
  for (const unsigned threads : {1U, 2U, 3U}) {
    CAPTURE(threads);
    // Compared without CHECK's own printing: the texts may have megabytes.
    const bool is_same =
        outcome(bytes, {.sink = nullptr, .threads = threads, .stream = true, .on_progress = {}}) == whole;
    CHECK(is_same);
  }
}

/// Fails at the first events.
class FailingSink final : public EventSink {
public:
  void take(std::uint32_t /*device*/, std::span<const Event> /*events*/) override {
    ++takes;
    throw Error("nobody reads the output");
  }
  void restart() override { ++restarts; }

  int takes = 0;
  int restarts = 0;
};

/// Counts how records arrive.
class CountingSink final : public pickle::RecordSink {
public:
  [[nodiscard]] std::string_view key() const override { return "device_traces"; }
  void take_rows(std::size_t list, const pickle::RecordRows& rows) override {
    row_count += rows.cells.size() / rows.keys.size();
    latest_list = list;
  }
  void take_dict(std::size_t list, Value /*dict*/) override {
    ++dict_count;
    latest_list = list;
  }
  Value digest(std::span<const Value> items) override { return {Kind::digest, items.size()}; }

  std::size_t row_count = 0;
  std::size_t dict_count = 0;
  std::size_t latest_list = 0;
};

CountingSink streamed(std::string_view bytes, unsigned threads = 1) {
  CountingSink sink;
  pickle::Machine machine(bytes);
  machine.stream_to(sink, threads);
  while (machine.step()) {}
  return sink;
}

SnapshotBuilder with_events(int count, int device = 0) {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096).active(1024, 1000, {"train.py:1:step"}).inactive(3072);
  // As in real files: an alloc has a list of its own of shared frames, a free fetches that list.
  const PythonValue frames = frames_of({"a.py:1:one", "a.py:2:two", "a.py:3:three"});
  PythonValue own_list;
  for (int i = 0; i < count; ++i) {
    const bool is_alloc = i % 2 == 0;
    if (is_alloc) own_list = list(i % 8 == 0 ? PythonItems{} : *std::get<PythonList>(frames.value).items);
    builder.event(dict({{"action", is_alloc ? "alloc" : "free_completed"},
                        {"addr", std::int64_t{0x7F0000001000}},
                        {"size", 1000 + i / 2},
                        {"stream", 0},
                        {"time_us", 1784205149431460 + i},
                        {"compile_context", "N/A"},
                        {"pool_id", tuple({0, 1})},
                        {"frames", own_list}}),
                  device);
  }
  return builder;
}

/// Lists of many frames that begin or end alike, again and again, as copies that the writer writes anew.
SnapshotBuilder with_long_lists(int count) {
  SnapshotBuilder builder;
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i)
    names.push_back(fmt::format("file_{}.py:{}:function_{}", i % 7, i, i));
  const PythonValue frames = frames_of(names);
  const PythonItems all = *std::get<PythonList>(frames.value).items;
  const auto list_of = [&](std::size_t begin, std::size_t end) {
    return PythonItems(all.begin() + static_cast<std::ptrdiff_t>(begin),
                       all.begin() + static_cast<std::ptrdiff_t>(end));
  };
  for (int i = 0; i < count; ++i) {
    const auto turn = static_cast<std::size_t>(i);
    PythonItems items = list_of(turn % 3, 20 + 40 * (turn % 5));
    if (turn % 4 == 1) items.push_back(all[200 + turn % 11]);
    if (turn % 9 == 2) items[items.size() / 2] = all[250];
    builder.event(dict({{"action", turn % 2 == 0 ? "alloc" : "free_completed"},
                        {"addr", std::int64_t{0x7F0000001000} + i},
                        {"size", 1 << (turn % 30)},
                        {"stream", 0},
                        {"frames", list(items)}}));
  }
  return builder;
}

/// An event of three keys, all fetched from the memo but the size.
struct Keys {
  Opcodes::Number action, alloc, address, size;
};

Opcodes::Number event(Opcodes& pickle, const Keys& keys) {
  const Opcodes::Number number = pickle.dict();
  pickle.raw("(").get(keys.action).get(keys.alloc).get(keys.address).integer(0x1000).get(keys.size).integer(512);
  pickle.raw("u");
  return number;
}

/// {'segments': [], 'device_traces': [[EVENTS...` up to where `meddle` writes, then `]]}`.
template <class Meddle> std::string with_meddling(Meddle meddle) {
  Opcodes pickle;
  pickle.dict();
  pickle.raw("(");
  pickle.text("segments");
  pickle.list();
  const Keys keys{pickle.text("action"), pickle.text("alloc"), pickle.text("addr"), pickle.text("size")};
  pickle.raw("0000"); // only the memo was to have them
  pickle.text("device_traces");
  pickle.list();
  const Opcodes::Number events = pickle.list();
  pickle.raw("(");
  Opcodes::Number last = 0;
  for (int i = 0; i < 20; ++i)
    last = event(pickle, keys);
  pickle.raw("e");
  meddle(pickle, events, last);
  pickle.raw("au.");
  return pickle.bytes() + std::string(100, '\0');
}

} // namespace

TEST_CASE("events of every form are the same, streamed or not") {
  for (const int count : {0, 1, 2, 3, 999, 1000, 1001, 2500}) {
    CAPTURE(count);
    for (const int device : {0, 2}) {
      const SnapshotBuilder builder = with_events(count, device);
      for (const int protocol : {2, 3, 4, 5})
        check_same(builder.pickle({.protocol = protocol}));
      check_same(builder.pickle({.protocol = 2, .is_cpp_writer = true}));
    }
  }
}

TEST_CASE("long lists that begin or end alike are the same, streamed or not") {
  const SnapshotBuilder builder = with_long_lists(400);
  for (const int protocol : {2, 4})
    check_same(builder.pickle({.protocol = protocol}) + std::string(100, '\0'));
  check_same(builder.pickle({.protocol = 2, .is_cpp_writer = true}) + std::string(100, '\0'));
  CHECK(streamed(builder.pickle() + std::string(100, '\0')).dict_count < 50);
}

TEST_CASE("all snapshots of testdata are the same, streamed or not") {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(testdata())) {
    if (entry.path().extension() != ".pickle") continue;
    CAPTURE(entry.path().string());
    check_same(read_bytes(entry.path().string()));
  }
}

TEST_CASE("all real snapshots are the same, streamed or not") {
  for (const auto& path : shared_snapshots()) {
    CAPTURE(path.string());
    check_same(read_input(path.string()).bytes());
  }
}

TEST_CASE("events that follow a pattern never become dicts") {
  SUBCASE("of Python's writer") {
    const CountingSink sink = streamed(with_events(5000).pickle() + std::string(100, '\0'));
    CHECK(sink.row_count + sink.dict_count == 5000);
    CHECK(sink.dict_count < 50);
  }
  SUBCASE("of PyTorch's C++ writer") {
    const CountingSink sink = streamed(read_bytes((testdata() / "cpp_writer_long_batch.pickle").string()));
    CHECK(sink.row_count > 900);
    CHECK(sink.dict_count < 200);
  }
  SUBCASE("of writers that number the entries of the memo") {
    for (const PickleStyle style : {PickleStyle{.protocol = 3}, PickleStyle{.protocol = 2, .is_cpp_writer = true}}) {
      const CountingSink sink = streamed(with_events(5000).pickle(style) + std::string(100, '\0'));
      CHECK(sink.row_count + sink.dict_count == 5000);
      CHECK(sink.dict_count < 50);
    }
  }
  SUBCASE("of the third device") {
    const CountingSink sink = streamed(with_events(5000, 2).pickle() + std::string(100, '\0'));
    CHECK(sink.latest_list == 2);
    CHECK(sink.dict_count < 50);
  }
}

TEST_CASE("a large file is the same on any number of threads") {
  // Above what threads are started for.
  const std::string bytes = with_events(120'000).pickle();
  REQUIRE(bytes.size() > 5'000'000);
  for (const unsigned threads : {1U, 2U, 4U})
    CHECK(streamed(bytes, threads).row_count > 119'000);
  check_same(bytes);
}

TEST_CASE("what was handed over and is used again makes the reader start anew") {
  check_same(with_meddling([](Opcodes&, Opcodes::Number, Opcodes::Number) {}));
  SUBCASE("an event fetched from the memo") {
    check_same(
        with_meddling([](Opcodes& pickle, Opcodes::Number, Opcodes::Number last) { pickle.get(last).raw("0"); }));
  }
  SUBCASE("an event in the list a second time") {
    check_same(
        with_meddling([](Opcodes& pickle, Opcodes::Number, Opcodes::Number last) { pickle.get(last).raw("a"); }));
  }
  SUBCASE("an event that is changed later") {
    check_same(with_meddling([](Opcodes& pickle, Opcodes::Number, Opcodes::Number last) {
      pickle.get(last);
      pickle.text("size");
      pickle.integer(7).raw("s0");
    }));
  }
  SUBCASE("the list of events as that of a second device") {
    check_same(with_meddling([](Opcodes& pickle, Opcodes::Number events, Opcodes::Number) {
      pickle.raw("a").get(events - 1).get(events).raw("a0").get(events);
    }));
  }
  SUBCASE("the list of events, copied on the stack") {
    check_same(with_meddling([](Opcodes& pickle, Opcodes::Number, Opcodes::Number) { pickle.raw("2a"); }));
  }
  SUBCASE("a list of events that another one takes the place of") {
    check_same(with_meddling([](Opcodes& pickle, Opcodes::Number, Opcodes::Number) {
      pickle.raw("a");
      pickle.text("device_traces");
      pickle.list();
      pickle.list();
    }));
  }
  SUBCASE("a list of events that is no part of the snapshot") {
    std::string bytes = with_meddling([](Opcodes&, Opcodes::Number, Opcodes::Number) {});
    bytes.insert(bytes.rfind('.'), "]");
    check_same(bytes);
  }
  SUBCASE("the list of events under another key") {
    check_same(with_meddling([](Opcodes& pickle, Opcodes::Number events, Opcodes::Number) {
      pickle.raw("a");
      pickle.text("external_annotations");
      pickle.get(events).get(events);
    }));
  }
}

TEST_CASE("what a sink throws ends the reading, and is no reason to start again") {
  const std::string bytes = with_events(2000).pickle();
  for (const bool stream : {true, false}) {
    CAPTURE(stream);
    FailingSink sink;
    ReadOptions options;
    options.sink = &sink;
    options.stream = stream;
    CHECK_THROWS_WITH_AS(static_cast<void>(read_snapshot(bytes, options)), "nobody reads the output", Error);
    CHECK(sink.takes == 1);
    CHECK(sink.restarts == 0);
  }
}
