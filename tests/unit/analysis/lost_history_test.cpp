#include "memviz/flame.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/warnings.hpp"
#include "support/files.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>

// Losses of a ring of events: proven by blocks that have the stack of an allocation that no event records.

using namespace memviz;
using namespace memviz::test;

namespace {

const Stack kForward{"/home/me/train.py:7:forward"};
const Stack kWithCpp{"/src/c10/cuda/CUDACachingAllocator.cpp:1:malloc", "/home/me/train.py:7:forward"};

/// Two blocks without a recorded alloc, one of them with a stack; an unmatched free; an allocation that is recorded.
SnapshotBuilder lossy(const Stack& stack = kForward) {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096).active(1024, 1000, stack).active(1024, 900).active(1024, 800, stack).inactive(1024);
  builder.free(0x1C00, 500).alloc(0x1800, 800, stack);
  return builder;
}

SnapshotBuilder with_settings(SnapshotBuilder builder, bool overflowed, std::int64_t max_entries) {
  builder.set("allocator_settings",
              dict({{"trace_alloc_overflowed", overflowed}, {"trace_alloc_max_entries", max_entries}}));
  return builder;
}

std::string warning_of(const SnapshotBuilder& builder) {
  const Recording snapshot = builder.read();
  const auto warnings = warnings_and_losses(end_of(snapshot));
  return warnings.empty() ? "" : warnings.front();
}

std::uint64_t bytes_of(const SnapshotBuilder& builder, Pseudo reason) {
  const Recording snapshot = builder.read();
  for (const UserLine& line : rank_user_lines(end_of(snapshot), {}))
    if (line.key == NodeKey(reason)) return line.amount.bytes;
  return 0;
}

} // namespace

TEST_CASE("a stack without an event proves that the ring lost it") {
  CHECK(
      warning_of(lossy()) ==
      "GPU 0: 1 block (1,000 B) was allocated while recording, but their events are lost: the ring held only the "
      "last 3 "
      "events (max_entries of at least 4 would have been needed, 6 if everything without a recorded alloc is from that "
      "time), or recording was restarted since then");

  SUBCASE("a file that says so leaves no doubt") {
    CHECK(
        warning_of(with_settings(lossy(), true, 3)) ==
        "GPU 0: 1 block (1,000 B) was allocated while recording, but their events are lost: the ring held only the "
        "last "
        "3 events; max_entries of at least 4 would have been needed, 6 if everything without a recorded alloc is from "
        "that time");
  }
  SUBCASE("where the ring was not full, recording was restarted") {
    const std::string restarted = "GPU 0: 1 block (1,000 B) was allocated while recording, but their events are lost, "
                                  "although the ring was not full: recording was restarted since then";
    CHECK(warning_of(with_settings(lossy(), false, 100)) == restarted);
    CHECK(warning_of(with_settings(lossy(), true, 100)) == restarted); // another device's ring was
  }
}

TEST_CASE("a ring that was full is reported even where no stack is left") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 1024).active(1024, 1000);
  builder.free(0x1C00, 500);
  CHECK(warning_of(with_settings(builder, true, 2)) ==
        "GPU 0: the oldest events are lost: the ring held only the last 2 events; max_entries of at least 3 would "
        "have been needed, 4 if everything without a recorded alloc is from that time");
  CHECK(warning_of(with_settings(builder, false, 2)).empty());
  CHECK(warning_of(builder).empty()); // allocated before recording, as far as the file shows it
}

TEST_CASE("nothing is lost where every block has its alloc, or where there are no events") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 1024).active(1024, 1000, kForward);
  CHECK(warning_of(builder).empty());
  builder.alloc(0x1000, 1000, kForward);
  CHECK(warning_of(builder).empty());
  CHECK(warning_of(with_settings(builder, true, 1)).empty());
}

TEST_CASE("a block without a stack was there before a recording that has every stack") {
  CHECK(bytes_of(lossy(kWithCpp), Pseudo::before_recording) == 900);
  CHECK(bytes_of(lossy(kWithCpp), Pseudo::lost_or_before) == 0);

  SUBCASE("but Python's stacks are empty in the backward pass") {
    CHECK(bytes_of(lossy(kForward), Pseudo::lost_or_before) == 900);
  }
  SUBCASE("and an alloc without a stack shows that not every stack is recorded") {
    SnapshotBuilder builder = lossy(kWithCpp);
    builder.alloc(0x1C00, 100).free(0x1C00, 100);
    CHECK(bytes_of(builder, Pseudo::lost_or_before) == 900);
  }
}

TEST_CASE("of the real snapshots, those of a ring that was too small say so") {
  for (const auto& file : shared_snapshots()) {
    const std::string name = file.stem().string();
    CAPTURE(name);
    const Recording snapshot = read_snapshot(read_bytes(file.string()));
    std::size_t lossy_devices = 0;
    for (const DeviceState& device_state : end_of(snapshot).devices)
      lossy_devices += lost_history(snapshot, device_state.figures).has_value() ? 1U : 0U;
    const bool has_small_ring = name == "ring_full_10000" || name.starts_with("history_v20") ||
                                name == "windows_paths" || name == "many_blocks_2gpu" ||
                                name == "one_event_without_frames";
    CHECK(lossy_devices == (has_small_ring ? 1U : 0U));
  }
}

TEST_CASE("where the accounts do not balance, events are missing for another reason") {
  SnapshotBuilder builder = lossy();
  builder.alloc(0x1C00, 100); // it is not in use at the end
  const Recording snapshot = builder.read();
  const MemoryState replayed = end_of(snapshot);
  CHECK_FALSE(replayed.devices[0].figures.balanced());
  CHECK_FALSE(lost_history(snapshot, replayed.devices[0].figures).has_value());
}
