#include "memviz/recording_columns.hpp"

#include "memviz/error.hpp"
#include "memviz/replay.hpp"
#include "memviz/snapshot_pickle.hpp"
#include "support/files.hpp"

#include <cstddef>
#include <cstdint>
#include <doctest/doctest.h>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

namespace {

/// The facts that are not in the pickle of a recording.
std::vector<std::string> facts_of(const Recording& recording) {
  const Origin& origin = recording.origin;
  std::vector<std::string> facts{origin.encoding, origin.generation, std::to_string(origin.size_bytes),
                                 std::to_string(recording.more_unread_keys),
                                 origin.are_segments_made_up ? "made up" : "recorded"};
  for (const UnreadKey& key : recording.unread_keys)
    facts.push_back(std::string(recording.frames.text(key.name)) + (key.may_hold_memory ? " memory" : ""));
  facts.insert(facts.end(), recording.warnings.begin(), recording.warnings.end());
  return facts;
}

std::string pickle_of(Recording recording) {
  const MemoryState state = replay(std::move(recording));
  return whole_text(snapshot_pickle_source(state, {}));
}

/// An event of each member that most files do not have, and numbers at the ends of their types.
Recording odd_recording() {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  Recording recording;
  const StringId text = recording.frames.intern("a text");
  const FrameId frame = recording.frames.add_frame({text, recording.frames.intern("a.py"), -3});
  recording.frames.set_fx(frame, {text, text, kEmptyString, text});
  const std::vector<FrameId> frames{frame, frame};
  const StackId stack = recording.frames.add_stack(frames);
  EventTable& events = recording.traces.make(kHostDevice);
  Event event;
  event.action_text = text;
  event.address = kMost;
  event.size_bytes = kMost;
  event.stream = -1;
  events.push(event);
  event = Event();
  event.action = Action::alloc;
  event.address = 512;
  event.time_us = -5;
  event.stack = stack;
  events.push(event);
  event.address = kMost;
  event.stream = std::numeric_limits<std::int64_t>::min();
  event.time_us = std::numeric_limits<std::int64_t>::max();
  event.stack = kNoContext;
  event.pool = PoolId{kMost, 1};
  event.forward_stack = stack;
  event.compile_context = event.user_metadata = event.internal_metadata = text;
  events.push(event);
  recording.event_counts.make(kHostDevice) = events.size();
  recording.event_counts.make({3}) = 0;
  recording.annotations.push_back({text, text, {77}, -1, {{text, kEmptyString}}});
  recording.declared.push_back({{0}, 512, 512, MemoryKind::gradient, text});
  recording.measured.push_back({{0}, 1, std::nullopt, kMost, 2});
  KeeperGraph& keepers = recording.keepers;
  keepers.is_recorded = true;
  keepers.limit = KeeperLimit::nodes;
  keepers.walk_ms = kMost;
  keepers.objects = {{KeeperKind::list, text, text, 5, 27, 2}, {}};
  keepers.references = {{{1}, {0}, ReferenceKind::index, text, 9}};
  keepers.roots = {{KeeperRoot::cycle, {1}}};
  keepers.storages = {{{0}, {3}, kMost, 512}};
  recording.origin.rank = 7;
  recording.origin.are_segments_made_up = true;
  recording.origin.device_kind = DeviceKind::npu;
  recording.origin.cpu_device = DeviceId{1};
  recording.origin.rehearsal = Rehearsal{"GPU", "gpu", 5, std::nullopt, 8};
  recording.trace_overflowed = false;
  recording.trace_max_entries = 12;
  recording.unread_keys.push_back({text, true});
  recording.more_unread_keys = 2;
  return recording;
}

} // namespace

TEST_CASE("columns give back the recording that they were made of") {
  for (const auto& folder : {test::testdata(), test::testdata() / "cases"})
    for (const auto& path : test::files_in(folder, ".pickle")) {
      CAPTURE(path);
      const std::string bytes = test::read_bytes(path.string());
      const Recording recording = read_snapshot(bytes);
      const std::string columns = columns_of(recording);
      Recording again = recording_of_columns(columns);
      const bool are_same_columns = columns_of(again) == columns;
      CHECK(are_same_columns);
      CHECK(facts_of(again) == facts_of(recording));
      const bool are_same_pickles = pickle_of(std::move(again)) == pickle_of(read_snapshot(bytes));
      CHECK(are_same_pickles);
    }
}

TEST_CASE("columns hold every member and the whole range of numbers") {
  const std::string columns = columns_of(odd_recording());
  const Recording again = recording_of_columns(columns);
  CHECK(columns_of(again) == columns);
  const EventTable& events = again.events_of(kHostDevice);
  REQUIRE(events.size() == 3);
  CHECK(again.frames.text(events[0].action_text) == "a text");
  CHECK(events[0].stream == -1);
  CHECK_FALSE(events[0].time_us);
  CHECK(events[1].time_us == -5);
  CHECK_FALSE(events[1].pool);
  CHECK(events[2].address == std::numeric_limits<std::uint64_t>::max());
  CHECK(events[2].stream == std::numeric_limits<std::int64_t>::min());
  CHECK(events[2].time_us == std::numeric_limits<std::int64_t>::max());
  CHECK(events[2].pool == PoolId{std::numeric_limits<std::uint64_t>::max(), 1});
  CHECK(events[2].stack == kNoContext);
  CHECK(again.frames.text(events[2].internal_metadata) == "a text");
  CHECK(again.frames.fx({0})->node_op == events[0].action_text);
  CHECK(again.frames.frame({0}).line == -3);
  CHECK(again.annotations.at(0).device.value == 77);
  CHECK(again.origin.rehearsal->ranks == 8);
  CHECK(again.measured.at(0).other_processes_bytes == 2);
  CHECK(again.keepers == odd_recording().keepers);
  CHECK(again.trace_overflowed == false);
  CHECK(again.event_counts.find({3}) != nullptr);
}

TEST_CASE("damaged columns are refused or read, and never more than their bytes pay for") {
  for (const char* const name : {"devices_streams", "gen_2026_fx", "recorder_key", "keepers_key"}) {
    CAPTURE(name);
    const std::string columns = columns_of(read_snapshot(test::read_bytes(test::testdata_file(name))));
    for (std::size_t size = 0; size < columns.size(); size += size < 4096 ? 1 : 97)
      CHECK_THROWS_AS(static_cast<void>(recording_of_columns(std::string_view(columns).substr(0, size))), Error);
    for (std::size_t at = 0; at < columns.size(); at += 7)
      for (const unsigned bit : {0x01U, 0x80U, 0xFFU}) {
        std::string damaged = columns;
        damaged[at] = static_cast<char>(static_cast<unsigned char>(damaged[at]) ^ bit);
        try {
          Recording recording = recording_of_columns(damaged);
          for (const auto& [device, count] : recording.event_counts)
            REQUIRE(count <= damaged.size());
          // Others are safe to walk over.
          static_cast<void>(pickle_of(std::move(recording)));
        } catch (const Error&) {}
      }
  }
  CHECK_THROWS_AS(static_cast<void>(recording_of_columns("memviz columns 2\n")), Error);
  CHECK(are_columns("memviz columns 2\n"));
  CHECK_FALSE(are_columns("\x80\x04"));
}

} // namespace memviz
