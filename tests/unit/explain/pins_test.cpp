#include "memviz/pins.hpp"

#include "memviz/input.hpp"
#include "memviz/label.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>

using namespace memviz;
using namespace memviz::test;

namespace {

Pins pins_of(const Recording& snapshot, const PinOptions& options = {}) {
  return find_pins(end_of(snapshot), options);
}

/// A cache that pins the first segment alone and the second one with a model.
SmallSnapshot two_pinned() {
  SmallSnapshot small;
  const StackId cache = small.stack({"/app/cache.py:3:put"});
  const StackId model = small.stack({"/app/model.py:7:build"});
  small.segment(0x1000000, 20 * MiB).active(MiB, MiB - 100, cache).inactive(18 * MiB).active(MiB, MiB, cache);
  small.segment(0x8000000, 20 * MiB).active(2 * MiB, 2 * MiB, model).pending(MiB, MiB, cache).inactive(17 * MiB);
  small.segment(0x10000000, 20 * MiB).active(10 * MiB, 10 * MiB, model).inactive(10 * MiB);
  small.segment(0x18000000, 20 * MiB).inactive(20 * MiB);
  return small;
}

Recording expandable(std::optional<bool> is_large, std::uint64_t total_bytes, std::uint64_t used_bytes) {
  Recording snapshot = SmallSnapshot()
                           .segment(0x1000000, total_bytes)
                           .inactive(5 * MiB)
                           .active(used_bytes, used_bytes)
                           .inactive(total_bytes - 5 * MiB - used_bytes)
                           .take();
  snapshot.end.segments.front().is_expandable = true;
  snapshot.end.segments.front().is_large = is_large;
  return snapshot;
}

} // namespace

TEST_CASE("a segment is pinned when less than half of it is in use, and some is") {
  const Pins pins = pins_of(two_pinned().take());
  REQUIRE(pins.segments.size() == 2);
  CHECK(pins.segments[0].segment == 0);
  CHECK(pins.segments[0].active == Amount{2 * MiB, 2});
  CHECK(pins.segments[0].held_bytes == 18 * MiB);
  CHECK(pins.segments[1].segment == 1);
  CHECK(pins.segments[1].active == Amount{3 * MiB, 2});
  CHECK(pins.held_bytes == 35 * MiB);
  CHECK(pins.active == Amount{5 * MiB, 4});
  CHECK(pins_of(two_pinned().take(), {.below_percent = 51}).segments.size() == 3);
  CHECK(pins_of(two_pinned().take(), {.below_percent = 10}).segments.empty());
}

TEST_CASE("the lines that pin are ranked by what freeing them alone would give back") {
  const Recording snapshot = two_pinned().take();
  const Pins pins = pins_of(snapshot);
  REQUIRE(pins.lines.size() == 2);
  CHECK(node_label(snapshot.frames, pins.lines[0].key) == "put cache.py:3");
  CHECK(pins.lines[0].alone_bytes == 18 * MiB);
  CHECK(pins.lines[0].held_bytes == 35 * MiB);
  CHECK(pins.lines[0].segments == 2);
  CHECK(pins.lines[0].active == Amount{3 * MiB, 3});
  CHECK(node_label(snapshot.frames, pins.lines[1].key) == "build model.py:7");
  CHECK(pins.lines[1].alone_bytes == 0);
  CHECK(pins.lines[1].held_bytes == 17 * MiB);
}

TEST_CASE("of an expandable segment only the pages that hold a block in use are held") {
  SUBCASE("pages of 20 MiB for large blocks: the first of three") {
    const Pins pins = pins_of(expandable(true, 60 * MiB, MiB));
    REQUIRE(pins.segments.size() == 1);
    CHECK(pins.held_bytes == 19 * MiB);
  }
  SUBCASE("pages of 2 MiB for small blocks: the block ends where its page ends") {
    CHECK(pins_of(expandable(false, 60 * MiB, MiB)).held_bytes == MiB);
  }
  SUBCASE("where the file does not say, a size that is not a multiple of 20 MiB means small") {
    CHECK(pins_of(expandable(std::nullopt, 60 * MiB, MiB)).held_bytes == 19 * MiB);
    CHECK(pins_of(expandable(std::nullopt, 62 * MiB, MiB)).held_bytes == MiB);
  }
  SUBCASE("a segment whose other pages can all be unmapped is not pinned") {
    Recording snapshot = SmallSnapshot().segment(0x1000000, 60 * MiB).active(20 * MiB, 1).inactive(40 * MiB).take();
    snapshot.end.segments.front().is_expandable = true;
    CHECK(pins_of(snapshot).segments.empty());
  }
  SUBCASE("free blocks side by side are one") {
    Recording snapshot =
        SmallSnapshot().segment(0x1000000, 60 * MiB).active(MiB, 1).inactive(29 * MiB).inactive(30 * MiB).take();
    snapshot.end.segments.front().is_expandable = true;
    CHECK(pins_of(snapshot).held_bytes == 19 * MiB);
  }
  SUBCASE("blocks outside of the segment cannot be given back") {
    Recording snapshot = expandable(true, 60 * MiB, MiB);
    snapshot.end.blocks.back().address = ~std::uint64_t{0} - 5;
    CHECK(pins_of(snapshot).held_bytes == 59 * MiB);
    snapshot.end.blocks.back().address = 0;
    CHECK(pins_of(snapshot).held_bytes == 59 * MiB);
  }
}

TEST_CASE("only the device asked for is looked at") {
  SmallSnapshot small;
  small.segment(0x1000000, 20 * MiB).active(MiB, MiB).inactive(19 * MiB);
  small.segment(0x1000000, 40 * MiB, 0, 1).active(MiB, MiB).inactive(39 * MiB);
  const Recording snapshot = small.take();
  CHECK(pins_of(snapshot).held_bytes == 58 * MiB);
  CHECK(pins_of(snapshot, {.device = DeviceId{1}}).held_bytes == 39 * MiB);
}

TEST_CASE("pins of real snapshots: the blocks that pin are all named, and no free byte is held twice") {
  const auto folder = shared_folder();
  if (!folder) return;
  std::uint64_t pinned = 0;
  for (const auto& path : files_in(*folder / "snapshots", ".pickle")) {
    CAPTURE(path.string());
    const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    const MemoryState accounts = end_of(snapshot);
    const Pins pins = find_pins(accounts);
    CHECK(pins.held_bytes <= sum_of(accounts.devices).inactive_bytes);
    Amount by_line;
    for (const PinningLine& line : pins.lines)
      by_line += line.active;
    CHECK(by_line == pins.active);
    for (const PinnedSegment& segment : pins.segments) {
      Amount named;
      for (const UserLine& line : segment.lines)
        named += line.amount;
      CHECK(named == segment.active);
      CHECK(segment.active.bytes + segment.held_bytes <= snapshot.end.segments[segment.segment].total_bytes);
    }
    pinned += pins.segments.size();
  }
  CHECK(pinned > 0);
}
