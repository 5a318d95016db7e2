#include "memviz/input.hpp"
#include "memviz/pins.hpp"
#include "memviz/svg.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"
#include "support/svg_check.hpp"

#include <algorithm>
#include <cstring>
#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

std::string drawn(const Recording& snapshot, bool with_segments) {
  const MemoryState state = end_of(snapshot);
  TreeOptions options;
  options.levels = with_segments ? segment_levels(state) : memory_levels(state);
  const FrameTree tree = build_frame_tree(state, options);
  FlamePicture picture{"mem.pickle", memory_subject(state, std::nullopt), tree};
  if (with_segments) picture.segments = {find_pins(state), block_lines(state, {})};
  return flame_svg(picture, {});
}

/// Rectangles of the blocks in use, by their class.
std::size_t rectangles(const std::string& svg, const char* css_class) {
  const pugi::xml_document document = parse_svg(svg);
  const std::string path = std::string("//g[@class='") + css_class + "' and rect and not(@data-bytes)]";
  return document.select_nodes(path.c_str()).size();
}

SmallSnapshot pinned_by_a_cache() {
  SmallSnapshot small;
  const StackId cache = small.stack({"/app/cache.py:3:put"});
  const StackId model = small.stack({"/app/model.py:7:build"});
  small.segment(0x7f0000000000, 100 * MiB).active(2 * MiB, 2 * MiB, cache).inactive(98 * MiB);
  small.segment(0x7f1000000000, 200 * MiB)
      .active(150 * MiB, 150 * MiB, model)
      .pending(10 * MiB, MiB)
      .inactive(40 * MiB);
  return small;
}

} // namespace

TEST_CASE("the segments view draws every block and says what pins a mostly empty segment") {
  const std::string svg = drawn(pinned_by_a_cache().take(), true);
  check_svg(svg);
  const std::string text = visible_text(parse_svg(svg));
  CAPTURE(text);
  CHECK(contains(text, "1 block, 2.00 MiB, pins 98.0 MiB: put cache.py:3"));
  CHECK(contains(text, "1 segment is less than half in use: 2.00 MiB of blocks keep 98.0 MiB of free memory"));
  CHECK(contains(text, "What pins free memory"));
  CHECK(contains(text, "0x7f1000000000 · 200 MiB · GPU 0 · stream 0 · 80.0 % in use"));
  CHECK(contains(svg, "0x7f1000000000\n150 MiB, 150 MiB requested\nactive_allocated\nbuild model.py:7"));
}

TEST_CASE("the tooltip of a block names the user's line, not what torch calls first, or says why there is none") {
  SmallSnapshot small;
  const StackId stack = small.stack({"/app/train.py:12:step", "??:0:at::empty", "??:0:torch::unwind::unwind"});
  small.segment(0x7f0000000000, 100 * MiB)
      .active(40 * MiB, 40 * MiB, stack)
      .active(20 * MiB, 20 * MiB)
      .inactive(40 * MiB);
  small.event(Action::alloc, 0x7e0000000000, 512, stack);
  small.event(Action::free_completed, 0x7e0000000000, 512, stack);
  const std::string svg = drawn(small.take(), true);
  CHECK(contains(svg, "active_allocated\nstep train.py:12</title>"));
  CHECK(contains(svg, "active_allocated\n&lt;no stack: "));
  CHECK_FALSE(contains(svg, "active_allocated\ntorch::unwind"));
}

TEST_CASE("segments that differ in nothing but their address share a row") {
  SmallSnapshot small;
  for (std::uint64_t i = 0; i < 30; ++i)
    small.segment(0x7f0000000000 + i * 32 * MiB, 20 * MiB).inactive(20 * MiB);
  small.segment(0x7e0000000000, 20 * MiB).active(19 * MiB, 19 * MiB).inactive(MiB);
  small.segment(0x7e1000000000, 20 * MiB).active(20 * MiB, 20 * MiB);
  const std::string svg = drawn(small.take(), true);
  check_svg(svg);
  const std::string text = visible_text(parse_svg(svg));
  CAPTURE(text);
  CHECK(contains(
      text, "30 segments of 20.0 MiB, 600 MiB together, the first 0x7f0000000000 · GPU 0 · stream 0 · 0 % in use"));
  CHECK(contains(text, "0x7e0000000000 · 20.0 MiB · GPU 0 · stream 0 · 95.0 % in use"));
  CHECK(contains(text, "0x7e1000000000 · 20.0 MiB · GPU 0 · stream 0 · 100 % in use"));
  CHECK_FALSE(contains(text, "more segment"));
}

TEST_CASE("many pinned segments leave room for the largest of the others, and alike ones share a row") {
  SmallSnapshot small;
  const StackId cache = small.stack({"/app/cache.py:55:store"});
  for (std::uint64_t i = 0; i < 40; ++i)
    small.segment(0x7f0000000000 + i * 32 * MiB, 20 * MiB).active(MiB, MiB, cache).inactive(19 * MiB);
  for (std::uint64_t i = 0; i < 40; ++i)
    small.segment(0x7e0000000000 + i * 32 * MiB, 20 * MiB)
        .active((i + 1) * 4096, (i + 1) * 4096, cache)
        .inactive(20 * MiB - (i + 1) * 4096);
  small.segment(0x7d0000000000, 1024 * MiB).active(1024 * MiB, 1024 * MiB);
  const std::string svg = drawn(small.take(), true);
  check_svg(svg);
  const std::string text = visible_text(parse_svg(svg));
  CAPTURE(text);
  CHECK(contains(text, "40 segments of 20.0 MiB, 800 MiB together, the first 0x7f0000000000"));
  CHECK(contains(text, "1 block, 1.00 MiB, pins 19.0 MiB in each: store cache.py:55"));
  CHECK(contains(text, "0x7d0000000000 · 1.00 GiB · GPU 0"));
  CHECK(contains(text, "and 17 more segments with 340 MiB together"));
}

TEST_CASE("what pins next to nothing gets no list of its own") {
  SmallSnapshot small;
  small.segment(0x7f0000000000, 2 * MiB).active(MiB / 2, MiB / 2).inactive(MiB + MiB / 2);
  small.segment(0x7f1000000000, 4096 * MiB).active(4096 * MiB, 4096 * MiB);
  const std::string text = visible_text(parse_svg(drawn(small.take(), true)));
  CHECK_FALSE(contains(text, "What pins free memory"));
  CHECK(contains(text, "1 block, 512 KiB, pins 1.50 MiB"));
}

TEST_CASE("the memory view has no such panel") {
  const std::string svg = drawn(pinned_by_a_cache().take(), false);
  CHECK_FALSE(contains(svg, "pins 98.0 MiB"));
  CHECK_FALSE(contains(svg, "blocks in address order"));
}

TEST_CASE("a segment of a hundred thousand blocks takes few shapes, and damaged ones are drawn as far as they go") {
  SmallSnapshot small;
  small.segment(0x7f0000000000, 200'000 * 512);
  for (int i = 0; i < 100'000; ++i)
    small.active(512, 512).inactive(512);
  Recording snapshot = small.take();
  snapshot.end.blocks[0].address = 1;
  snapshot.end.blocks[2].address = ~std::uint64_t{0};
  const std::string svg = drawn(snapshot, true);
  check_svg(svg);
  CHECK(rectangles(svg, "requested") < 2'000);
  CHECK(svg.size() < 1'000'000);
}

TEST_CASE("the five largest real snapshots keep to 2 MB, with the root exact") {
  auto paths = shared_snapshots();
  std::sort(paths.begin(), paths.end(),
            [](const auto& left, const auto& right) { return file_size(left) > file_size(right); });
  paths.resize(std::min<std::size_t>(paths.size(), 5));
  for (const auto& path : paths) {
    CAPTURE(path.string());
    const Recording snapshot = read_snapshot(read_input(path.string()).bytes());
    const std::uint64_t reserved_bytes = sum_of(end_of(snapshot).devices).reserved_bytes;
    for (const bool with_segments : {false, true}) {
      const std::string svg = drawn(snapshot, with_segments);
      CHECK(svg.size() <= 2'000'000);
      const auto boxes = boxes_of(parse_svg(svg));
      REQUIRE(!boxes.empty());
      CHECK(boxes.front().bytes == reserved_bytes);
    }
  }
}
