#include "memviz/recording.hpp"
#include "support/both_readers.hpp"
#include "support/contains.hpp"
#include "support/snapshot_builder.hpp"

#include <doctest/doctest.h>
#include <string>

// A key that holds no memory of a GPU and is malformed: the rest of the file is read, and a warning names the key.

using namespace memviz;
using namespace memviz::test;

namespace {

SnapshotBuilder a_block() {
  SnapshotBuilder builder;
  builder.segment(0x7f0000000000, 2 * MiB).active(512, 500).inactive(2 * MiB - 512);
  builder.alloc(0x7f0000000000, 500);
  return builder;
}

/// Reads it with both readers.
Recording read_by_both(const SnapshotBuilder& builder) {
  check_same(builder.pickle());
  Recording recording = builder.read();
  CHECK(recording.end.segments.size() == 1);
  CHECK(recording.end.blocks.size() == 2);
  CHECK(recording.events_of({}).size() >= 1);
  return recording;
}

PythonValue event_with(std::string_view key, PythonValue value) {
  return dict({{"action", "alloc"},
               {"addr", 0x7f0000000200},
               {"size", 512},
               {"stream", 0},
               {std::string(key), std::move(value)}});
}

} // namespace

TEST_CASE("a malformed key of the whole snapshot is left out, with a warning that names it") {
  for (const char* const key : {"allocator_settings", "external_annotations", "host_segments", "host_traces"}) {
    CAPTURE(key);
    const Recording recording = read_by_both(a_block().set(key, 7));
    CHECK(one_contains(recording.warnings, std::string("'") + key + "' is left out: expected "));
  }
}

TEST_CASE("a malformed segment of host memory leaves out all of them") {
  SnapshotBuilder builder = a_block();
  const PythonValue good = dict({{"address", 4096}, {"total_size", 4096}, {"blocks", list()}});
  const PythonValue bad = dict({{"address", "here"}, {"total_size", 4096}});
  const Recording recording = read_by_both(builder.set("host_segments", list({good, bad})));
  CHECK(one_contains(recording.warnings, "'host_segments' is left out: expected an int for host_segments[1].address"));
}

TEST_CASE("malformed events of host memory are left out and counted") {
  SnapshotBuilder builder = a_block();
  const PythonValue good = dict({{"action", "alloc"}, {"addr", 4096}, {"size", 4096}});
  const PythonValue bad = dict({{"action", "alloc"}, {"addr", 4096}, {"size", "large"}});
  const Recording recording = read_by_both(builder.set("host_traces", list({bad, good, 3})));
  CHECK(recording.events_of(kHostDevice).size() == 1);
  CHECK(one_contains(recording.warnings, "2 events of 'host_traces' are omitted, the first: expected "));
}

TEST_CASE("annotations that are not dicts are left out and counted") {
  SnapshotBuilder builder = a_block();
  const PythonValue good = dict({{"name", "step"}, {"stage", "START"}, {"device", 0}, {"time_us", 5}});
  const Recording recording = read_by_both(builder.set("external_annotations", list({1, good, "x"})));
  CHECK(recording.annotations.size() == 1);
  CHECK(one_contains(recording.warnings, "2 entries of 'external_annotations' are omitted: not a dict"));
}

TEST_CASE("malformed keys of events are left out and counted") {
  SUBCASE("pool_id") {
    for (const PythonValue& value : {PythonValue(3), PythonValue("a"), list({1}), list(), list({"a", "b"})}) {
      const Recording recording = read_by_both(a_block().event(event_with("pool_id", value)));
      CHECK_FALSE(recording.events_of({})[1].pool.has_value());
      CHECK(one_contains(recording.warnings, "1 event has a 'pool_id' that is not a pair of ints: omitted"));
    }
  }
  SUBCASE("forward_frames") {
    const Recording recording = read_by_both(a_block().event(event_with("forward_frames", 3)));
    CHECK(recording.events_of({})[1].forward_stack == kNoFrames);
    CHECK(one_contains(recording.warnings, "1 event has a 'forward_frames' that is not a list: omitted"));
  }
}

TEST_CASE("an integer of more than 64 bits does not end the file") {
  SnapshotBuilder builder = a_block();
  std::string pickle = builder.set("rank", "BIG").pickle();
  const std::string text("\x8C\x03"
                         "BIG");
  const std::size_t at = pickle.find(text);
  REQUIRE(at != std::string::npos);
  pickle.replace(at, text.size(), std::string("\x8A\x09\0\0\0\0\0\0\0\0\1", 11));
  check_same(pickle);
  const Recording recording = read_snapshot(pickle);
  CHECK(recording.end.segments.size() == 1);
  CHECK(one_contains(recording.warnings, "integers of more than 64 bits are read in double precision"));
}
