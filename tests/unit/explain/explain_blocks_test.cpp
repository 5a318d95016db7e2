#include "memviz/what_if.hpp"

#include "analysis/explain/pinned_pages.hpp"
#include "analysis/explain/trial.hpp"
#include "memviz/replay.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <random>
#include <utility>
#include <vector>

// blocks_in_the_way() against all sets that there are.

using namespace memviz;
using memviz::test::MiB;

namespace {

using Blocks = std::vector<std::uint32_t>;

struct Failure {
  MemoryState state;
  Request request;
  AllocatorSettings settings;

  [[nodiscard]] bool fits_without(const Blocks& blocks) const {
    return Trial(state, {}, request, settings).fits_without(blocks);
  }
  [[nodiscard]] Blocks in_the_way(Smallest smallest) const {
    return blocks_in_the_way(state, {}, request, settings, {smallest, true});
  }
  [[nodiscard]] std::uint64_t bytes_of(const Blocks& blocks) const {
    std::uint64_t bytes = 0;
    for (const std::uint32_t block : blocks)
      bytes += state.blocks[block].size_bytes;
    return bytes;
  }
};

/// All sets of blocks in use without which the request fits.
std::vector<Blocks> all_sets(const Failure& failure) {
  Blocks in_use;
  for (std::uint32_t i = 0; i < failure.state.blocks.size(); ++i)
    if (failure.state.blocks[i].is_active()) in_use.push_back(i);
  std::vector<Blocks> sets;
  for (std::uint32_t mask = 0; mask < 1U << in_use.size(); ++mask) {
    Blocks set;
    for (std::size_t bit = 0; bit < in_use.size(); ++bit)
      if ((mask >> bit & 1U) != 0) set.push_back(in_use[bit]);
    if (failure.fits_without(set)) sets.push_back(std::move(set));
  }
  return sets;
}

/// Blocks and holes in turn, at random, until the segment is full.
void fill(test::SmallSnapshot& made, std::uint64_t bytes, std::mt19937& random, std::size_t& blocks_left) {
  bool is_active = random() % 2 == 0;
  while (bytes > 0) {
    std::uint64_t size = std::min<std::uint64_t>(bytes, (1 + random() % 22) * 2 * MiB);
    if (is_active && blocks_left == 0) is_active = false;
    if (!is_active && blocks_left == 0) size = bytes;
    if (is_active) {
      made.active(size, size);
      --blocks_left;
    } else {
      made.inactive(size);
    }
    bytes -= size;
    is_active = !is_active || random() % 3 == 0;
  }
}

Failure random_failure(std::uint32_t seed) {
  std::mt19937 random(seed);
  const bool is_expandable = seed % 3 != 0;
  test::SmallSnapshot made;
  std::uint64_t address = 0x7f0000000000;
  std::size_t blocks_left = 9;
  for (std::size_t i = 0; i < 1 + random() % 3; ++i) {
    const std::uint64_t bytes = (1 + random() % 5) * 20 * MiB;
    made.segment(address, bytes, i == 2 ? 7 : 0);
    fill(made, bytes, random, blocks_left);
    address += bytes + (1 + random() % 4) * 20 * MiB; // of an expandable range this is not mapped
  }
  Failure failure;
  failure.state = replay(made.take());
  for (Segment& segment : failure.state.segments)
    segment.is_expandable = is_expandable;
  failure.settings.expandable_segments = is_expandable;
  failure.request.bytes = (1 + random() % 60) * 2 * MiB;
  failure.request.device_free_bytes = random() % 30 * 2 * MiB;
  return failure;
}

Failure expandable(test::SmallSnapshot& made, std::uint64_t request_bytes, std::uint64_t free_bytes) {
  Failure failure;
  failure.state = replay(made.take());
  for (Segment& segment : failure.state.segments)
    segment.is_expandable = true;
  failure.settings.expandable_segments = true;
  failure.request.bytes = request_bytes;
  failure.request.device_free_bytes = free_bytes;
  return failure;
}

} // namespace

TEST_CASE("the blocks that pin a segment or a page together are a set, besides each alone") {
  test::SmallSnapshot made;
  made.segment(64 * MiB, 20 * MiB).active(4 * MiB, 4 * MiB).inactive(8 * MiB).active(8 * MiB, 8 * MiB);
  made.segment(128 * MiB, 20 * MiB).active(20 * MiB, 20 * MiB);
  // The first block has the first page and a part of the second, where the other begins.
  made.segment(256 * MiB, 40 * MiB).active(24 * MiB, 24 * MiB).active(16 * MiB, 16 * MiB);
  MemoryMap state = made.take().end;
  state.segments.back().is_expandable = true;
  using Group = std::pair<std::uint32_t, std::uint32_t>;
  std::vector<Group> groups;
  for (const PinnedPages::Group& group : PinnedPages(state, DeviceId{0}).groups())
    groups.emplace_back(group.first, group.count);
  CHECK(groups == std::vector<Group>{{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {0, 2}, {3, 2}});
}

TEST_CASE("blocks_in_the_way finds a set wherever there is one, and none of its blocks could stay") {
  std::size_t failures = 0;
  std::size_t fewest = 0;
  std::size_t least_bytes = 0;
  for (std::uint32_t seed = 0; seed < 240; ++seed) {
    CAPTURE(seed);
    const Failure failure = random_failure(seed);
    const std::vector<Blocks> sets = all_sets(failure);
    const Blocks by_count = failure.in_the_way(Smallest::count);
    const Blocks by_bytes = failure.in_the_way(Smallest::bytes);
    if (sets.empty() || sets.front().empty()) { // never, or as it is
      CHECK(by_count.empty());
      CHECK(by_bytes.empty());
      continue;
    }
    ++failures;
    for (const Blocks& found : {by_count, by_bytes}) {
      CHECK(std::find(sets.begin(), sets.end(), found) != sets.end());
      for (std::size_t i = 0; i < found.size(); ++i) {
        Blocks fewer = found;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        CHECK_FALSE(failure.fits_without(fewer));
      }
    }
    const auto count = [](const Blocks& set) { return set.size(); };
    const auto bytes = [&](const Blocks& set) { return failure.bytes_of(set); };
    const auto best_count = std::ranges::min(sets, {}, count).size();
    if (best_count == 1) CHECK(by_count.size() == 1);
    if (by_count.size() == best_count) ++fewest;
    if (bytes(by_bytes) == bytes(std::ranges::min(sets, {}, bytes))) ++least_bytes;
  }
  CHECK(failures >= 100);
  CHECK(fewest * 100 >= failures * 95);
  CHECK(least_bytes * 100 >= failures * 85);
  MESSAGE("of " << failures << " failures the fewest blocks in " << fewest << ", the least bytes in " << least_bytes);
}

TEST_CASE("blocks_in_the_way: one block is enough, though the first place for new pages is not the one next to it") {
  // PyTorch maps where there is room first: in the gap between the two, not after the free memory at the end.
  test::SmallSnapshot made;
  made.segment(0x7f0000000000, 40 * MiB).active(40 * MiB, 40 * MiB);
  made.segment(0x7f0000000000 + 140 * MiB, 80 * MiB)
      .active(60 * MiB, 60 * MiB)
      .inactive(20 * MiB - 512)
      .active(512, 512);
  const Failure failure = expandable(made, 60 * MiB, 20 * MiB);
  CHECK(memory_ledger(failure.state, {}, failure.request).needed_bytes == 60 * MiB);
  CHECK(failure.in_the_way(Smallest::count).size() == 1);
}

TEST_CASE("blocks_in_the_way: of blocks in one page each other holds, only those that are needed") {
  test::SmallSnapshot made;
  made.segment(0x7f0000000000, 60 * MiB);
  for (int i = 0; i < 12; ++i)
    made.active(4 * MiB, 4 * MiB).inactive(MiB);
  const Failure failure = expandable(made, 38 * MiB, 0);
  const Blocks found = failure.in_the_way(Smallest::bytes);
  CHECK(found.size() == 8);
}

TEST_CASE("blocks_in_the_way of many blocks takes a moment") {
  test::SmallSnapshot made;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    made.segment(0x7f0000000000 + i * 60 * MiB, 20 * MiB);
    for (int block = 0; block < 16; ++block)
      made.active(MiB, MiB).inactive(MiB / 4);
  }
  Failure failure = expandable(made, 10'000 * MiB, 0);
  const Blocks found = failure.in_the_way(Smallest::bytes);
  CHECK(!found.empty());
  CHECK(failure.fits_without(found));
}
