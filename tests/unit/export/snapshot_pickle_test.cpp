#include "memviz/snapshot_pickle.hpp"

#include "memviz/replay.hpp"
#include "support/both_readers.hpp"
#include "support/files.hpp"
#include "support/rewound.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>

namespace memviz {

using test::after_event;
using test::dict;
using test::frames_of;
using test::list;
using test::MiB;
using test::PythonValue;
using test::SnapshotBuilder;
using test::tuple;

namespace {

std::string rewritten(const MemoryState& state, const SnapshotPart& part = {}) {
  return whole_text(snapshot_pickle_source(state, part));
}

std::string rewritten(std::string_view bytes) {
  return rewritten(replay(read_snapshot(bytes)));
}

/// All that is read of a file, without its encoding.
std::string read_of(std::string_view bytes) {
  const std::string outcome = test::reading_of(bytes, {}).outcome;
  return outcome.substr(std::min(outcome.find(", "), outcome.size()));
}

/// Fails the test unless what is written of a file is read like the file, by the fast reader, and written the same
/// again.
void check_rewritten(std::string_view bytes) {
  const std::string anew = rewritten(bytes);
  const bool is_read_the_same = read_of(anew) == read_of(bytes);
  CHECK(is_read_the_same);
  CHECK_FALSE(test::check_same(anew).plain_reason);
  const bool is_written_the_same = rewritten(anew) == anew;
  CHECK(is_written_the_same);
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

PythonValue event_of(const char* action, const char* address_key, std::uint64_t address) {
  return dict({{"action", action}, {address_key, address}, {"size", 512}, {"stream", 0}});
}

/// Two allocations, the first of which is freed, and a third one.
SnapshotBuilder three_allocations() {
  SnapshotBuilder builder;
  test::small(builder, 0x10000, 2 * MiB)
      .inactive(512)
      .active(1024, 1000, {"b.py:2:second"})
      .active(512, 300, {"c.py:3:third"})
      .inactive(2 * MiB - 2048);
  builder.alloc(0x10000, 500, {"a.py:1:first"})
      .alloc(0x10200, 1000, {"b.py:2:second"})
      .free(0x10000, 500)
      .alloc(0x10600, 300, {"c.py:3:third"});
  return builder;
}

} // namespace

TEST_CASE("a snapshot written anew is read like its original") {
  std::size_t count = 0;
  for (const auto& path : test::snapshots_in(test::testdata())) {
    CAPTURE(path);
    const std::string bytes = test::read_bytes(path);
    const Recording recording = read_snapshot(bytes);
    if (!recording.warnings.empty()) continue; // of something in the file that is not in the recording
    check_rewritten(bytes);
    ++count;
  }
  CHECK(count > 30);
}

TEST_CASE("numbers of every length are written as they were read") {
  SnapshotBuilder builder;
  builder.set("segments", list());
  for (unsigned bits = 0; bits <= 64; ++bits) {
    const std::uint64_t number =
        bits == 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << bits) - 1;
    builder.event(event_of("alloc", "addr", number));
    builder.event(event_of("snapshot", "addr", number + 1));
  }
  for (unsigned bits = 0; bits < 64; ++bits) {
    const auto number = static_cast<std::int64_t>(~std::uint64_t{0} << bits);
    builder.event(event_of("snapshot", "addr", 1).set("stream", number));
    builder.event(event_of("snapshot", "addr", 1).set("time_us", number));
    if (bits < 63) builder.event(event_of("snapshot", "addr", 1).set("time_us", number - 1));
  }
  const Recording before = builder.read();
  const Recording after = read_snapshot(rewritten(test::end_of(before)));
  const EventTable& events = before.events_of({0});
  REQUIRE(after.events_of({0}).size() == events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    CAPTURE(i);
    CHECK(after.events_of({0})[i].address == events[i].address);
    CHECK(after.events_of({0})[i].stream == events[i].stream);
    CHECK(after.events_of({0})[i].time_us == events[i].time_us);
  }
}

TEST_CASE("what only some writers have is written as well") {
  SnapshotBuilder builder;
  const PythonValue no_line = dict({{"name", "f"},
                                    {"filename", "a.so"},
                                    {"line", std::numeric_limits<std::uint64_t>::max()},
                                    {"fx_node_op", "call"}});
  builder.segment(0x10000, 1024)
      .block(dict({{"address", 0x10000},
                   {"size", 1024},
                   {"requested_size", 1000},
                   {"state", "active_pending_free"},
                   {"frames", list({no_line})}}))
      .set("segment_pool_id", tuple({0, 7}));
  builder.event(event_of("oom", "device_free", 12345));
  builder.event(event_of("a new action", "addr", 1));
  builder.event(event_of("alloc", "addr", 0x10000)
                    .set("pool_id", tuple({1, std::uint64_t{1} << 40U}))
                    .set("forward_frames", list({"layers.py:58 forward"}))
                    .set("internal_metadata", "a tag")
                    .set("frames", frames_of({"a.py:1:f"})));
  builder.host_block(0x900000, 4096, true, {"pinned.py:1:load"}).host_event("alloc", 0x900000, 4096);
  builder.set("allocator_settings", dict({{"max_split_size", -1},
                                          {"expandable_segments", true},
                                          {"roundup", dict({{"1", 0}, {"2", "two"}})},
                                          {"a.b", 0.5},
                                          {"roundup.3", "outside of the dict"},
                                          {"nothing", {}},
                                          {"trace_alloc_max_entries", 3}}));
  builder.set("external_annotations",
              list({dict({{"name", "step"}, {"stage", "START"}, {"device", 0}, {"time_us", 5}, {"rank", 3}})}));
  builder.set("memviz_recorder",
              dict({{"devices", list({dict({{"device", 0}, {"total_bytes", 100}, {"other_processes", 2}})})},
                    {"tensors", list({list({0, 0x10000, 1000, "buffer", "layer.weight"})})}}));
  check_rewritten(builder.pickle());
  const Recording after = read_snapshot(rewritten(builder.pickle()));
  CHECK(after.trace_max_entries == std::uint64_t{3});
  CHECK(after.origin.generation == "PyTorch of 2026 or newer");
  const FxInfo* const fx = after.frames.fx(after.frames.stack(after.end.blocks.front().stack).front());
  REQUIRE(fx != nullptr);
  CHECK(after.frames.text(fx->node_op) == "call");
}

TEST_CASE("a made-up GPU stays one") {
  SnapshotBuilder builder;
  builder.set("memviz_rehearsal", dict({{"gpu", "NVIDIA A100"}, {"profile", "a100-40"}, {"total_bytes", 1000}}));
  const Recording after = read_snapshot(rewritten(builder.pickle()));
  REQUIRE(after.origin.rehearsal);
  CHECK(after.origin.rehearsal->gpu == "NVIDIA A100");
  CHECK(after.origin.rehearsal->profile == "a100-40");
  CHECK(after.origin.rehearsal->total_bytes == std::uint64_t{1000});
}

TEST_CASE("texts, frames and stacks are written once") {
  SnapshotBuilder builder;
  for (int i = 0; i < 3000; ++i)
    builder.alloc(0x1000, 512, {"train.py:12:step", "train.py:90:main"}).free(0x1000, 512);
  const std::string anew = rewritten(builder.pickle());
  CHECK(count_of(anew, "train.py") == 1);
  CHECK(count_of(anew, "main") == 1);
  CHECK(count_of(anew, "free_completed") == 1);
  CHECK(anew.size() < 9000 * 50);
  check_rewritten(builder.pickle());
}

TEST_CASE("a part of the events ends with the memory of that moment") {
  const Recording whole = three_allocations().read();
  const MemoryState state = test::state_at(whole, after_event(2));
  const MemoryState part = replay(read_snapshot(rewritten(state, {.first_event = 1})));
  REQUIRE(part.recording->events_of({0}).size() == 2);
  CHECK(part.recording->events_of({0})[0].address == 0x10200);
  CHECK(part.devices.front().figures.balanced());
  CHECK(part.devices.front().figures.baseline_bytes == 500);
  CHECK(test::drawn(part) == test::drawn(state));
  for (std::int64_t event = -1; event < 2; ++event)
    CHECK(test::drawn(rewind(part.recording, after_event(event))) ==
          test::drawn(test::state_at(whole, after_event(event + 1))));
}

TEST_CASE("a part has no tensors and annotations of other moments") {
  SnapshotBuilder builder = three_allocations();
  builder.set("memviz_recorder", dict({{"tensors", list({list({0, 0x10200, 1000, "parameter", "second"}),
                                                         list({0, 0x10600, 300, "parameter", "third"})})}}));
  const Recording whole = builder.read();
  const Recording part = read_snapshot(rewritten(test::state_at(whole, after_event(2))));
  REQUIRE(part.declared.size() == 1);
  CHECK(part.frames.text(part.declared.front().name) == "second");
}

TEST_CASE("one device is written without the others") {
  SnapshotBuilder builder;
  builder.segment(0x10000, 1024, 0).active(1024, 1000);
  builder.segment(0x20000, 2048, 1).active(2048, 2000);
  builder.event("alloc", 0x10000, 1000, {}, 0).event("alloc", 0x20000, 2000, {}, 1);
  const Recording whole = builder.read();
  const Recording part = read_snapshot(rewritten(test::end_of(whole), {.device = DeviceId{1}}));
  CHECK(part.devices() == std::vector<DeviceId>{{1}});
  CHECK(part.events_of({1}).size() == 1);
}

} // namespace memviz
