#include "memviz/compare.hpp"
#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "memviz/replay.hpp"
#include "memviz/story.hpp"
#include "memviz/warnings.hpp"
#include "support/both_readers.hpp"
#include "support/contains.hpp"
#include "support/rewound.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <utility>

using namespace memviz;
using namespace memviz::test;

namespace {

/// A GPU with 1 of 2 MiB in use; 4 MiB pinned, 1 MiB pinned and free, and 8 MiB that were returned.
SnapshotBuilder with_host(const std::string& line = "loader.py:2:pin") {
  SnapshotBuilder builder;
  builder.segment(0x1000'0000, 2 * MiB).active(MiB, MiB, {"train.py:1:step"}).inactive(MiB);
  builder.alloc(0x1000'0000, MiB, {"train.py:1:step"});
  builder.host_block(0x5000'0000, 4 * MiB, true, {line}).host_block(0x4000'0000, MiB, false);
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  for (const auto& [at, size] : {Range{0x5000'0000, 4 * MiB}, Range{0x4000'0000, MiB}, Range{0x6000'0000, 8 * MiB}}) {
    builder.host_event("segment_alloc", at, size).host_event("alloc", at, size, {"loader.py:2:pin"});
    if (size == 4 * MiB) continue;
    builder.host_event("free_requested", at, size).host_event("free_completed", at, size);
  }
  builder.host_event("segment_free", 0x6000'0000, 8 * MiB);
  return builder;
}

MomentChoice host_event_choice(std::uint64_t event) {
  MomentChoice choice;
  choice.kind = MomentKind::event;
  choice.event = EventIndex(event);
  choice.device = kHostDevice;
  return choice;
}

} // namespace

TEST_CASE("pinned host memory is a device behind the GPUs, with its own accounts") {
  const MemoryState state = replay(with_host().read());
  REQUIRE(state.devices.size() == 2);
  const DeviceState& host = state.devices[1];
  CHECK(host.device == kHostDevice);
  CHECK(host.device_kind == DeviceKind::cpu);
  CHECK(host.figures.reserved_bytes == 5 * MiB);
  CHECK(host.figures.requested_bytes == 4 * MiB);
  CHECK(host.figures.events == 11);
  CHECK(host.figures.peak_requested_bytes == 12 * MiB);
  CHECK(host.figures.balanced());
  CHECK(state.devices[0].figures.reserved_bytes == 2 * MiB);
  CHECK(warnings_of(state).empty());
}

TEST_CASE("both readers find the same pinned host memory") {
  for (const PickleStyle style : {PickleStyle{}, PickleStyle{.protocol = 2, .is_cpp_writer = true}})
    CHECK(!check_same(with_host().pickle(style)).plain_reason);
}

TEST_CASE("of pinned host memory only segments, only events, or nothing may be there") {
  SUBCASE("only segments, and no GPU") {
    SnapshotBuilder builder;
    const MemoryState state = replay(builder.host_block(0x1000, 4096, true).read());
    REQUIRE(state.devices.size() == 1);
    CHECK(state.devices[0].figures.reserved_bytes == 4096);
  }
  SUBCASE("only events") {
    SnapshotBuilder builder;
    const MemoryState state =
        replay(builder.host_event("alloc", 0x1000, 4096).host_event("free_completed", 0x1000, 4096).read());
    REQUIRE(state.devices.size() == 1);
    CHECK(state.devices[0].figures.peak_requested_bytes == 4096);
  }
  SUBCASE("two empty lists") {
    SnapshotBuilder builder;
    CHECK(builder.set("host_segments", list()).set("host_traces", list()).read().devices().empty());
  }
}

TEST_CASE("a block of pinned host memory is its segment at every moment") {
  const SnapshotBuilder builder = with_host();
  const MemoryState then = rewind(builder.read(), host_event_choice(7)); // before the 8 MiB are freed
  REQUIRE(then.devices.size() == 2);
  CHECK(then.devices[0].moment.is_end());
  CHECK(then.devices[1].figures.reserved_bytes == 13 * MiB);
  CHECK(then.devices[1].figures.requested_bytes == 12 * MiB);
  CHECK(then.devices[1].figures.rounding_bytes() == 0);
  CHECK(then.devices[1].figures.blocks == 3);
  CHECK(warnings_of(then).empty());
  CHECK(rewind(builder.read(), host_event_choice(0)).devices[1].figures.reserved_bytes == 4 * MiB);
}

TEST_CASE("a segment that was given back is restored on the device that had it") {
  SnapshotBuilder builder;
  builder.segment(0x1000, 4096, 1).inactive(4096);
  builder.event("segment_alloc", 0x9000, 4096, {}, 1).event("segment_free", 0x9000, 4096, {}, 1);
  MomentChoice choice;
  choice.kind = MomentKind::event;
  choice.event = EventIndex(0);
  const MemoryState then = rewind(builder.read(), choice);
  REQUIRE(then.devices.size() == 1);
  CHECK(then.devices[0].figures.reserved_bytes == 8192);
}

TEST_CASE("no figure adds pinned host memory to that of GPUs") {
  const MemoryState state = replay(with_host().read());
  CHECK(mixes_host(state.devices));
  CHECK(leading_device(state.devices) == state.devices.data()); // which holds less
  const Story story = flame_story(memory_subject(state, std::nullopt));
  CHECK(story.headline == "GPU 0 at the end: 2.00 MiB reserved, 50.0 % in use");
  CHECK(contains(story.answer, "train.py:1"));
  REQUIRE(story.accounts.size() == 2);
  CHECK(story.accounts[0].text.starts_with("GPU 0: Accounts balance"));
  CHECK(story.accounts[1].text.starts_with("Host memory: Accounts balance"));
  CHECK(devices_text(state.devices) == "GPU 0 and host memory");
  const Story of_host = flame_story(memory_subject(state, kHostDevice));
  CHECK(of_host.headline == "Host memory at the end: 5.00 MiB reserved, 80.0 % in use");
  TreeOptions options;
  options.levels = memory_levels(state);
  const FrameTree tree = build_frame_tree(state, options);
  CHECK(options.levels.front() == Level::device);
  CHECK(tree.root().total.bytes == 7 * MiB);
}

TEST_CASE("folded stacks have pinned host memory only where it is asked for") {
  const MemoryState state = replay(with_host().read());
  CHECK(!contains(folded_stacks(state, FoldedView::memory, std::nullopt), "loader.py"));
  CHECK(contains(folded_stacks(state, FoldedView::memory, kHostDevice), "loader.py:2:pin 4194304"));
}

TEST_CASE("a comparison has figures of pinned host memory, but no segments of it among those of GPUs") {
  SnapshotBuilder grown = with_host();
  grown.host_block(0x7000'0000, 2 * MiB, true, {"loader.py:3:more"});
  const MemoryState before = replay(with_host().read());
  const MemoryState after = replay(grown.read());
  const Comparison all = compare_snapshots(before, after, {});
  CHECK(all.only_after.empty());
  CHECK(all.mixes_host);
  CHECK(!all.is_one_moment);
  REQUIRE(all.readings.size() == 2);
  CHECK(all.readings[1].of(Gauge::reserved).change_bytes() == 2 * MiB);
  CHECK(compare_story(all).headline == "+2.00 MiB at the peak on host memory: 12.0 MiB before, 14.0 MiB after");
  CHECK(compare_story(compare_snapshots(before, before, {})).headline ==
        "No difference: both snapshots hold the same memory");
  CHECK(compare_story(compare_snapshots(before, replay(with_host("loader.py:9:pin").read()), {})).headline ==
        "Every device holds as much as before, but not the same memory");
  CompareOptions options;
  options.tree.device = kHostDevice;
  const Comparison host = compare_snapshots(before, after, options);
  CHECK(host.only_after.size() == 1);
  CHECK(host.is_one_moment);
}

TEST_CASE("devices have names and words") {
  CHECK(device_name(kHostDevice, DeviceKind::cpu) == "host memory");
  CHECK(device_heading(kHostDevice, DeviceKind::cpu) == "Host memory");
  CHECK(device_word(kHostDevice) == "host");
  CHECK(device_word({3}) == "3");
}
