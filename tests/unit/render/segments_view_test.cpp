#include "memviz/input.hpp"
#include "memviz/svg.hpp"
#include "support/contains.hpp"
#include "support/files.hpp"
#include "support/small_snapshot.hpp"
#include "support/snapshot_builder.hpp"
#include "support/states.hpp"
#include "support/svg_check.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <set>
#include <sstream>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

std::string drawn(const Recording& snapshot, bool with_segments, const SvgOptions& svg = {},
                  const MomentChoice& moment = {}) {
  const MemoryState state = state_at(snapshot, moment);
  TreeOptions options;
  options.levels = with_segments ? segment_levels(state) : memory_levels(state);
  const FrameTree tree = build_frame_tree(state, options);
  FlamePicture picture{"mem.pickle", memory_subject(state, std::nullopt), tree};
  picture.has_segments = with_segments;
  return flame_svg(picture, svg);
}

/// The shapes of the segments in a colour.
std::string shapes(const std::string& svg, const std::string& css_class) {
  return parse_svg(svg)
      .select_node(("//g[@id='board']/g[@class='" + css_class + "']/path").c_str())
      .node()
      .attribute("d")
      .value();
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
  CHECK(contains(text, "1 segment is less than half in use: 2.00 MiB of blocks keep 98.0 MiB of free memory"));
  CHECK(contains(text, "What pins free memory"));
  CHECK(contains(text, "1 block in 1 segment"));
  CHECK(contains(text, "0x7f0000000000 · 100 MiB · 2.0 % in use · 98.0 MiB pinned by put cache.py:3"));
  CHECK(contains(text, "0x7f1000000000 · 200 MiB · 80.0 % in use"));
  CHECK(contains(text, "build model.py:7  150 MiB"));
  CHECK(contains(svg, "board-data"));
}

TEST_CASE("a caption names the line that pins most, and whether others pin as well") {
  SmallSnapshot small;
  const StackId cache = small.stack({"/app/cache.py:55:store"});
  const StackId log = small.stack({"/app/log.py:7:keep"});
  for (std::uint64_t i = 0; i < 40; ++i)
    small.segment(0x7f0000000000 + i * 32 * MiB, 20 * MiB).active(MiB, MiB, cache).inactive(19 * MiB);
  small.segment(0x7e0000000000, 20 * MiB).active(2 * MiB, 2 * MiB, log).inactive(18 * MiB);
  const std::string text = visible_text(parse_svg(drawn(small.take(), true)));
  CAPTURE(text);
  CHECK(contains(text,
                 "41 segments of 20.0 MiB, 820 MiB · 5.1 % in use · 778 MiB pinned by store cache.py:55 and others"));
  CHECK(contains(text, "×40"));
}

TEST_CASE("a narrow block that pins a segment is drawn wide enough to see, and never over all of the hole after it") {
  SmallSnapshot small;
  const StackId cache = small.stack({"/app/cache.py:55:store"});
  small.segment(0x7f0000000000, 20 * MiB).active(MiB, MiB, cache).inactive(19 * MiB);
  small.segment(0x7e0000000000, 20 * MiB).active(MiB, MiB, cache).inactive(MiB).active(18 * MiB, 18 * MiB);
  small.segment(0x7d0000000000, 1024 * MiB).active(1024 * MiB, 1024 * MiB);
  const std::string path = shapes(drawn(small.take(), true), "user");
  CAPTURE(path);
  CHECK(contains(path, "h3v"));
  CHECK(contains(path, "h1."));
}

TEST_CASE("a narrow block at the end of a line is not drawn beyond it") {
  SmallSnapshot small;
  const StackId cache = small.stack({"/app/cache.py:55:store"});
  small.segment(0x7f0000000000, 2048 * MiB).inactive(280 * KiB);
  for (int i = 0; i < 4095; ++i) // 1.4 pixels each; 256 of them and their holes are a line
    small.active(224 * KiB, 224 * KiB, cache).inactive(288 * KiB);
  small.active(232 * KiB, 232 * KiB, cache);
  const std::string svg = drawn(small.take(), true);
  const auto document = parse_svg(svg);
  double end = 0;
  for (const auto& strip : document.select_nodes("//g[@id='board']/g[@class='free']/rect"))
    end = std::max(end, strip.node().attribute("x").as_double() + strip.node().attribute("width").as_double());
  double furthest = 0;
  std::istringstream path(shapes(svg, "user"));
  char command = 0;
  double x = 0;
  double y = 0;
  double width = 0;
  for (; path >> command >> x >> y >> command >> width; path.ignore(100, 'z'))
    furthest = std::max(furthest, x + width);
  CHECK(furthest > end - 1);
  CHECK(furthest < end + 0.05);
}

TEST_CASE("segments have the colours of the graph above them") {
  const Recording snapshot = pinned_by_a_cache().take();
  CHECK_FALSE(shapes(drawn(snapshot, true), "user").empty());
  const std::string by_line = drawn(snapshot, true, {.color = ColorBy::line});
  const pugi::xml_document document = parse_svg(by_line);
  const std::string line =
      document.select_node("//*[@id='graph']/g[text='build model.py:7  150 MiB']").node().attribute("class").value();
  CHECK(line.starts_with("hue"));
  CHECK_FALSE(shapes(by_line, line).empty());
}

TEST_CASE("segments of every device have colours, whichever device the list above them is about") {
  const Recording snapshot = read_snapshot(read_input(testdata_file("devices_streams")).bytes());
  const std::string svg = drawn(snapshot, true, {.color = ColorBy::line}, {.kind = MomentKind::peak});
  check_svg(svg);
  const pugi::xml_document document = parse_svg(svg);
  std::set<std::string> classes;
  for (const auto& entry : document.select_nodes("//*[@id='board-data']//c"))
    classes.insert(entry.node().attribute("c").value());
  CHECK(classes.size() == 3);
  for (const std::string& css_class : classes)
    CHECK_MESSAGE(css_class.starts_with("hue"), css_class);
  CHECK(contains(svg, ".other-stream rect"));
}

TEST_CASE("what pins next to nothing gets no list of its own") {
  SmallSnapshot small;
  small.segment(0x7f0000000000, 2 * MiB).active(MiB / 2, MiB / 2).inactive(MiB + MiB / 2);
  small.segment(0x7f1000000000, 4096 * MiB).active(4096 * MiB, 4096 * MiB);
  const std::string text = visible_text(parse_svg(drawn(small.take(), true)));
  CHECK_FALSE(contains(text, "What pins free memory"));
  CHECK(contains(text, "1.50 MiB pinned by"));
}

TEST_CASE("the memory view has no segments below") {
  const std::string svg = drawn(pinned_by_a_cache().take(), false);
  CHECK_FALSE(contains(svg, "98.0 MiB pinned"));
  CHECK_FALSE(contains(svg, "Segments, to scale"));
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
  CHECK(shapes(svg, "nostack").size() < 200'000);
  CHECK(svg.size() <= 2'000'000);
  CHECK(boxes_of(parse_svg(svg)).front().bytes == 200'000 * 512);
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
