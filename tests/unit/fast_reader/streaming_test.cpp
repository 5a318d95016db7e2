#include "fast_reader/trace_stream.hpp"
#include "memviz/input.hpp"
#include "support/both_readers.hpp"
#include "support/files.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <vector>

// Converting events while the file is decoded must give the same events as decoding everything first.

using namespace memviz;
using namespace memviz::test;

namespace {

/// Counts how records arrive.
class CountingSink final : public fast_reader::RecordSink {
public:
  void take_rows(std::size_t list, const fast_reader::RecordRows& rows) override {
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
  fast_reader::TraceStream(bytes).read(sink, threads);
  return sink;
}

SnapshotBuilder with_events(int count, int device = 0) {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096).active(1024, 1000, {"train.py:1:step"}).inactive(3072);
  // As in real files: an alloc has its own list of shared frames, a free fetches that list.
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
  CHECK_FALSE(check_same(bytes).plain_reason);
}
