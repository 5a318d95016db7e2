#include "analysis/kinds/old_copies.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;

namespace {

constexpr std::uint64_t kHigh = 0x10000000;
constexpr std::uint64_t kBlockBytes = 512;

/// Segments side by side, each a text with a letter for each block: "o" is older than the events, "n" newer or free,
/// "x" old and of another kind.
struct Run {
  std::uint64_t address;
  std::vector<std::string_view> segments;
};

/// Returns the runs, from low addresses to high, with "p" for each parameter found and "s" for each state.
std::string kinds_in(const std::vector<Run>& runs, std::uint64_t gradients) {
  MemoryMap end;
  std::string letters;
  for (const Run& run : runs)
    for (std::uint64_t address = run.address; const std::string_view blocks : run.segments) {
      Segment& segment = end.segments.emplace_back();
      segment.address = address;
      segment.total_bytes = blocks.size() * kBlockBytes;
      segment.first_block = static_cast<std::uint32_t>(letters.size());
      segment.block_count = static_cast<std::uint32_t>(blocks.size());
      letters += blocks;
      for (std::size_t i = 0; i < blocks.size(); ++i, address += kBlockBytes) {
        Block& block = end.blocks.emplace_back();
        block.address = address;
        block.size_bytes = block.requested_bytes = kBlockBytes;
      }
    }
  SizeTable sizes;
  SizeFacts& facts = *sizes.add(kBlockBytes);
  facts.kept_gradients = gradients;
  facts.old = static_cast<std::uint64_t>(std::ranges::count(letters, 'o'));
  const auto found = find_old_copies(end, end.segments, sizes, [&](std::uint32_t block) {
    return letters[block] == 'o' ? OldBlock::candidate : letters[block] == 'x' ? OldBlock::other : OldBlock::newer;
  });
  for (const OldCopy& copy : found) {
    const auto block = std::ranges::find(end.blocks, copy.address, &Block::address);
    letters[static_cast<std::size_t>(block - end.blocks.begin())] = copy.kind == MemoryKind::parameter ? 'p' : 's';
  }
  return letters;
}

} // namespace

TEST_CASE(
    "of old memory of one size the first is parameters, what comes after a step's memory is an optimizer's state") {
  CHECK(kinds_in({{kHigh, {"oo", "nn", "oo", "oo"}}}, 2) == "ppnnssss");
  CHECK(kinds_in({{kHigh, {"xoon", "oo", "nnnn", "oooo"}}}, 4) == "xppnppnnnnssss");
}

TEST_CASE("a run of segments at lower addresses is younger than one at higher addresses") {
  CHECK(kinds_in({{kHigh - 0x100000, {"oo"}}, {kHigh, {"oo", "nn"}}}, 2) == "ssppnn");
}

TEST_CASE("of 32 MiB that adjoin others the lower ones are younger") {
  const std::uint64_t end_of_unit = kHigh - 2 * kBlockBytes;
  CHECK(kinds_in({{end_of_unit, {"oo"}}, {kHigh, {"oo", "nn"}}}, 2) == "ssppnn");
}

TEST_CASE("old memory of which the two orders say different things stays without a kind") {
  const std::uint64_t end_of_unit = kHigh - 8 * kBlockBytes;
  CHECK(kinds_in({{end_of_unit, {"oo", "nnnnnn"}}, {kHigh, {"oo", "nnnnnn"}}}, 2) == "oonnnnnnoonnnnnn");
}

TEST_CASE("a state that fills a gap between parameters' segments is later than its segment") {
  CHECK(kinds_in({{kHigh, {"ooono", "o", "nnnn", "ooo"}}}, 4) == "pppnspnnnnsss");
}

TEST_CASE("old memory without a step's memory between its copies may be an averaged model") {
  CHECK(kinds_in({{kHigh, {"oo", "oo", "nn"}}}, 2) == "oooonn");
  CHECK(kinds_in({{kHigh, {"oo", "oo", "nn", "oo"}}}, 2) == "oooonnss");
}

TEST_CASE("old memory shows no order where the first of it is after a gap") {
  CHECK(kinds_in({{kHigh, {"no", "nn", "o"}}}, 1) == "nonno");
  CHECK(kinds_in({{kHigh, {"nn", "o", "nn", "o"}}}, 1) == "nnonno");
}
