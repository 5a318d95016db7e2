#include "memviz/input.hpp"
#include "memviz/replay.hpp"
#include "memviz/warnings.hpp"
#include "support/files.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

// The state at a moment, rebuilt backward, held against a plain replay forward.

namespace memviz {

namespace fs = std::filesystem;

namespace {

using Live = std::map<std::uint64_t, std::uint64_t>; ///< address -> requested bytes

std::vector<fs::path> real_snapshots() {
  return test::snapshots_in(test::testdata() / "recorded");
}

Live active_blocks(const MemoryMap& memory, DeviceId device) {
  Live live;
  for (const Segment& segment : memory.segments)
    for (const Block& block : memory.blocks_of(segment))
      if (segment.device == device && block.is_active()) live[block.address] = block.requested_bytes;
  return live;
}

/// Returns what lived before the first event: freed, or live at the end, without an alloc before that.
Live baseline(const Recording& snapshot, DeviceId device) {
  Live before;
  Live recorded;
  const EventTable& events = snapshot.traces[device];
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events.action(i) == Action::alloc) recorded[events.address(i)] = events.size_bytes(i);
    if (events.action(i) == Action::free_completed && recorded.erase(events.address(i)) == 0)
      before[events.address(i)] = events.size_bytes(i);
  }
  for (const auto& [address, bytes] : active_blocks(snapshot.end, device))
    if (!recorded.contains(address)) before[address] = bytes;
  return before;
}

Live live_after(const Recording& snapshot, DeviceId device, std::int64_t event) {
  Live live = baseline(snapshot, device);
  const EventTable& events = snapshot.traces[device];
  for (std::size_t i = 0; static_cast<std::int64_t>(i) <= event; ++i) {
    if (events.action(i) == Action::alloc) live[events.address(i)] = events.size_bytes(i);
    if (events.action(i) == Action::free_completed) live.erase(events.address(i));
  }
  return live;
}

/// Returns the reserved bytes, counted back from the end: memory mapped since was not there yet, memory unmapped
/// since was.
std::uint64_t reserved_after(const Recording& snapshot, DeviceId device, std::int64_t event) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : snapshot.end.segments)
    bytes += segment.device == device ? segment.total_bytes : 0;
  const EventTable& events = snapshot.traces[device];
  for (auto i = static_cast<std::size_t>(event + 1); i < events.size(); ++i) {
    const Action action = events.action(i);
    if (action == Action::segment_alloc || action == Action::segment_map) bytes -= events.size_bytes(i);
    if (action == Action::segment_free || action == Action::segment_unmap) bytes += events.size_bytes(i);
  }
  return bytes;
}

MemoryState state_of(const fs::path& path, const MomentChoice& choice) {
  return rewind(read_snapshot(read_input(path.string()).bytes()), choice);
}

void check_same_segments(const MemoryMap& found, const MemoryMap& wanted) {
  REQUIRE(found.segments.size() == wanted.segments.size());
  for (std::size_t i = 0; i < found.segments.size(); ++i) {
    CHECK(found.segments[i].address == wanted.segments[i].address);
    CHECK(found.segments[i].total_bytes == wanted.segments[i].total_bytes);
    const auto blocks = found.blocks_of(found.segments[i]);
    const auto wanted_blocks = wanted.blocks_of(wanted.segments[i]);
    const auto is_same = [](const Block& one, const Block& other) {
      return one.address == other.address && one.size_bytes == other.size_bytes &&
             one.requested_bytes == other.requested_bytes && one.state == other.state && one.stack == other.stack;
    };
    CHECK(std::equal(blocks.begin(), blocks.end(), wanted_blocks.begin(), wanted_blocks.end(), is_same));
  }
}

MomentChoice after_event_of(DeviceId device, std::int64_t event) {
  return {.kind = MomentKind::event,
          .event = EventIndex::last_of(static_cast<std::uint64_t>(event + 1)),
          .time_us = 0,
          .annotation = {},
          .device = device};
}

/// Fixtures made from real snapshots: segments and frees cut out of one, other addresses in the other.
bool is_edited(const fs::path& path) {
  return path.stem() == "trimmed_fixture_unbalanced" || path.stem() == "anonymised_fixture";
}

} // namespace

TEST_CASE("the state after the last event is what the file says") {
  for (const fs::path& path : real_snapshots()) {
    CAPTURE(path.string());
    const Recording wanted = read_snapshot(read_input(path.string()).bytes());
    for (const DeviceId device : wanted.devices()) {
      const EventTable& events = wanted.events_of(device);
      if (events.empty()) continue;
      const auto last = static_cast<std::int64_t>(events.size()) - 1;
      check_same_segments(state_of(path, after_event_of(device, last)), wanted.end);
    }
  }
}

TEST_CASE("live bytes at the peak are the peak of the oracle") {
  const auto folder = test::shared_folder();
  for (const fs::path& path : real_snapshots()) {
    CAPTURE(path.string());
    const fs::path expected = folder && path.parent_path().filename() == "snapshots"
                                  ? *folder / "oracle" / (path.stem().string() + ".json")
                                  : test::testdata() / "expected" / (path.stem().string() + ".json");
    const auto oracle = nlohmann::json::parse(test::read_bytes(expected.string()));
    MomentChoice peak;
    peak.kind = MomentKind::peak;
    const MemoryState state = state_of(path, peak);
    REQUIRE(state.devices.size() == oracle.size());
    for (std::size_t i = 0; i < oracle.size(); ++i) {
      if (state.devices[i].moment.is_end()) continue; // no events
      if (!is_edited(path)) CHECK(state.devices[i].figures.requested_bytes == oracle[i]["peak_requested_bytes"]);
      CHECK(state.devices[i].moment.event.number() == oracle[i]["peak_event"]);
    }
    if (!is_edited(path)) CHECK(warnings_of(state).empty());
  }
}

TEST_CASE("the state after any event is that of a replay from the beginning") {
  std::mt19937 random(6);
  for (const fs::path& path : real_snapshots()) {
    if (is_edited(path)) continue;
    const Recording whole = read_snapshot(read_input(path.string()).bytes());
    for (const auto& trace : whole.traces) {
      const DeviceId device = trace.first;
      const EventTable& events = trace.second;
      const auto last = static_cast<std::int64_t>(events.size()) - 1;
      for (int i = 0; last >= 0 && i < 20; ++i) {
        const std::int64_t event = i == 0 ? -1 : std::uniform_int_distribution<std::int64_t>(0, last)(random);
        CAPTURE(path.string());
        CAPTURE(device.value);
        CAPTURE(event);
        const MemoryState state = state_of(path, after_event_of(device, event));
        CHECK(warnings_of(state).empty());
        CHECK((active_blocks(state, device) == live_after(whole, device, event)));
        for (const DeviceState& device_state : state.devices)
          if (device_state.device == device)
            CHECK(device_state.figures.reserved_bytes == reserved_after(whole, device, event));
      }
    }
  }
}

} // namespace memviz
