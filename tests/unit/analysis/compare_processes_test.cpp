#include "memviz/compare.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>

// Equal addresses in two recordings -> segments of one process, or of two.

using namespace memviz;
using namespace memviz::test;

namespace {

Comparison comparison_of(const Recording& before, const Recording& after, const CompareOptions& options) {
  return compare_snapshots({end_of(before)}, {end_of(after)}, options);
}

} // namespace

TEST_CASE("segments are the same when address and size are") {
  SnapshotBuilder one;
  one.segment(0x1000, 512).inactive(512);
  one.segment(0x3000, 512).inactive(512);
  one.segment(0x5000, 512).inactive(512);
  SnapshotBuilder other;
  other.segment(0x1000, 512).inactive(512);
  other.segment(0x3000, 1024).inactive(1024);
  other.segment(0x2000, 512).inactive(512);
  const Comparison result = comparison_of(one.read(), other.read(), {});
  const auto addresses = [](const std::vector<SegmentRef>& segments) {
    std::vector<std::uint64_t> found;
    for (const SegmentRef& segment : segments)
      found.push_back(segment.address);
    return found;
  };
  CHECK(addresses(result.only_before) == std::vector<std::uint64_t>{0x3000, 0x5000});
  CHECK(addresses(result.only_after) == std::vector<std::uint64_t>{0x2000, 0x3000});
  CHECK(addresses(result.in_both) == std::vector<std::uint64_t>{0x1000});
}

/// Three segments at the same addresses as always, each with a block, and both with the same stack.
Recording three_segments(const char* frame) {
  SnapshotBuilder builder;
  for (std::uint64_t i = 1; i <= 3; ++i)
    builder.segment(0x1000 * i, 512).active(512, 512, {frame});
  Recording recording = builder.read();
  for (Segment& segment : recording.end.segments)
    segment.stack = recording.end.blocks[segment.first_block].stack;
  return recording;
}

TEST_CASE("stacks show that equal addresses are those of two processes") {
  const Recording train = three_segments("/home/a/train.py:1:f");
  const Comparison result = comparison_of(train, three_segments("/b/main.py:7:g"), {});
  CHECK(result.in_both.size() == 3);
  CHECK(result.only_before.empty()); // as in PyTorch's compare
  CHECK(result.has_two_processes());
  CHECK_FALSE(comparison_of(train, three_segments("/home/a/train.py:1:f"), {}).has_two_processes());
  SUBCASE("not where a side has no stacks") {
    Recording without = three_segments("/b/main.py:7:g");
    for (Segment& segment : without.end.segments)
      segment.stack = kNoFrames;
    CHECK_FALSE(comparison_of(train, without, {}).has_two_processes());
  }
}

TEST_CASE("times show that equal addresses are those of two runs of one program") {
  const auto times = [](std::int64_t start_us) {
    SegmentTimes taken;
    for (std::uint64_t i = 1; i <= 3; ++i) {
      Event event;
      event.action = Action::segment_alloc;
      event.address = 0x1000 * i;
      event.time_us = start_us + static_cast<std::int64_t>(i);
      taken.take(DeviceId{0}, {&event, 1});
    }
    return taken;
  };
  const Recording train = three_segments("/a/train.py:1:f");
  const SegmentTimes first = times(1000);
  const SegmentTimes later = times(5000);
  CompareOptions options;
  options.before_times = &first;
  options.after_times = &later;
  CHECK(comparison_of(train, train, options).has_two_processes());
  options.after_times = &first;
  CHECK_FALSE(comparison_of(train, train, options).has_two_processes());
}

TEST_CASE("a few equal addresses in recordings that are months apart are of two processes") {
  const auto recording = [](std::int64_t time_us, std::uint64_t other_segments) {
    test::SmallSnapshot made;
    made.segment(0x1000, 512).active(512, 512);
    for (std::uint64_t i = 1; i < 5; ++i)
      made.segment(other_segments + 0x1000 * i, 512).active(512, 512);
    made.time(time_us).event(Action::alloc, 0x1000, 512);
    return made.take();
  };
  constexpr std::int64_t kDayUs = std::int64_t{24} * 3600 * 1'000'000;
  const Recording first = recording(kDayUs, 0x100000);
  CHECK(comparison_of(first, recording(100 * kDayUs, 0x900000), {}).has_two_processes());
  CHECK_FALSE(comparison_of(first, recording(2 * kDayUs, 0x900000), {}).has_two_processes());
  CHECK_FALSE(comparison_of(first, recording(100 * kDayUs, 0x100000), {}).has_two_processes());
}

TEST_CASE("ranks and blocks show that equal addresses are those of two processes, where segments do not") {
  const auto recording = [](std::uint64_t first_bytes, std::string_view frame) {
    test::SmallSnapshot made;
    const StackId stack = frame.empty() ? kNoFrames : made.stack({frame});
    for (std::uint64_t i = 0; i < 8; ++i)
      made.segment(0x100000 * (i + 1), 0x100000)
          .active(0x1000, i == 0 ? first_bytes : 0x200 * (i + first_bytes % 7), stack)
          .inactive(0xff000);
    return made.take();
  };
  const Recording train = recording(700, "/a/train.py:1:f");
  SUBCASE("no block is on both sides") {
    CHECK(comparison_of(train, recording(701, "/a/train.py:1:f"), {}).has_two_processes());
  }
  SUBCASE("blocks at the same places, by other stacks") {
    CHECK(comparison_of(train, recording(700, "/b/main.py:7:g"), {}).has_two_processes());
    CHECK_FALSE(comparison_of(train, recording(700, ""), {}).has_two_processes());
  }
  SUBCASE("some stay: one process") {
    CHECK_FALSE(comparison_of(train, recording(707, "/a/train.py:1:f"), {}).has_two_processes());
  }
  SUBCASE("other ranks") {
    Recording one = recording(700, "/a/train.py:1:f");
    Recording other = recording(700, "/a/train.py:1:f");
    one.origin.rank = 0;
    other.origin.rank = 0;
    CHECK_FALSE(comparison_of(one, other, {}).has_two_processes());
    other.origin.rank = 1;
    CHECK(comparison_of(one, other, {}).has_two_processes());
  }
}
