#include "memviz/svg.hpp"

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/small_snapshot.hpp"
#include "support/states.hpp"
#include "support/svg_check.hpp"

#include "memviz/input.hpp"

#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <vector>

using namespace memviz;
using namespace memviz::test;

namespace {

std::string drawn(const MemoryState& state, const SvgOptions& options = {}) {
  std::string svg = state_svg({.file = "a <b> & c.pickle", .state = state, .device = std::nullopt}, options);
  check_svg(svg);
  return svg;
}

bool shows(const std::string& svg, const std::string& part) {
  return visible_text(parse_svg(svg)).find(part) != std::string::npos;
}

/// 2 MiB each, of which `different` look different.
Recording of_segments(std::uint64_t count, std::uint64_t different) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 20U;
  SmallSnapshot builder;
  for (std::uint64_t i = 0; i < count; ++i)
    builder.segment(0x7f0000000000 + (i << 21U), 1U << 21U)
        .active(kHalf + i % different * 512, kHalf)
        .inactive(kHalf - i % different * 512);
  return builder.take();
}

} // namespace

TEST_CASE("a state names every segment, its holes, and the events that led there") {
  SmallSnapshot builder;
  const StackId stack = builder.stack({"/app/train.py:12:<step> & more"});
  builder.segment(0x7f0000000000, 4096, 7).active(1024, 1000, stack).inactive(3072);
  builder.segment(0x7e0000000000, 8192).inactive(8192);
  builder.event(Action::alloc, 0x7f0000000000, 1000, stack);
  const Recording snapshot = builder.take();
  const std::string svg = drawn(end_of(snapshot));
  CHECK(shows(svg, "GPU 0, default pool, stream 7"));
  CHECK(shows(svg, "0x7f0000000000 · 4.00 KiB · 25.0 % in use"));
  CHECK(shows(svg, "0x7e0000000000 · 8.00 KiB · 0 % in use"));
  CHECK(shows(svg, "free 8.00 KiB"));
  CHECK(shows(svg, "2 segments with 3 blocks: 11.0 KiB free in 2 holes, the largest of 8.00 KiB."));
  CHECK(shows(svg, "<step> & more train.py:12"));
}

TEST_CASE("a state without holes says so in words") {
  SmallSnapshot builder;
  builder.segment(0x7f0000000000, 4096).active(4096, 4096);
  CHECK(shows(drawn(end_of(builder.take())), "1 segment with 1 block: no free memory inside segments."));
}

TEST_CASE("at an out-of-memory error a state has the request next to the largest hole") {
  const Input input = read_input((testdata() / "oom_expandable.pickle").string());
  Recording snapshot = read_snapshot(input.bytes());
  MomentChoice choice;
  choice.kind = MomentKind::oom;
  const MemoryState accounts = state_at(snapshot, choice);
  const std::string svg = drawn(accounts);
  CHECK(shows(svg, "ran out of memory: "));
  CHECK(shows(svg, "asked for"));
  CHECK(shows(svg, "largest free piece for it"));
  CHECK(shows(svg, "at the out-of-memory error"));
}

TEST_CASE("segments that the budget has no room for are left out, and counted") {
  const Recording snapshot = of_segments(5000, 2000);
  const MemoryState accounts = end_of(snapshot);
  SvgOptions options;
  options.max_bytes = 100'000;
  const std::string svg = drawn(accounts, options);
  CHECK(svg.size() <= options.max_bytes);
  CHECK(shows(svg, "more segments with "));
  CHECK(shows(svg, "5,000 segments with 10,000 blocks"));
  CHECK(svg == drawn(accounts, options));
}

TEST_CASE("segments that look the same are drawn once, with their count") {
  const Recording snapshot = of_segments(120, 2);
  const std::string svg = drawn(end_of(snapshot));
  CHECK(shows(svg, "120 segments of 2.00 MiB, 240 MiB · 50.0 % in use"));
  CHECK(shows(svg, "×60"));
  CHECK_FALSE(shows(svg, "×120"));
}

TEST_CASE("a line has one colour in the list and on its blocks; what has no stack has the one that says so") {
  SmallSnapshot builder;
  const StackId large = builder.stack({"/app/model.py:7:build"});
  const StackId small = builder.stack({"/app/cache.py:3:put"});
  builder.segment(0x7f0000000000, 16384)
      .active(8192, 8192, large)
      .active(4096, 4096, small)
      .active(2048, 2048)
      .inactive(2048);
  const Recording snapshot = builder.take();
  const pugi::xml_document document = parse_svg(drawn(end_of(snapshot)));
  std::vector<std::string> in_list;
  for (const pugi::xpath_node& bar : document.select_nodes("//g[@data-flow='rows']/g[@class='row']/g"))
    in_list.emplace_back(bar.node().attribute("class").value());
  REQUIRE(in_list.size() == 3);
  CHECK(in_list[0].starts_with("hue"));
  CHECK(in_list[1].starts_with("hue"));
  CHECK(in_list[0] != in_list[1]);
  CHECK(in_list[2] == "nostack");
  for (const std::string& paint : in_list) {
    CAPTURE(paint);
    CHECK(document.select_nodes(("//g[@id='board']/g[@class='" + paint + "']/path").c_str()).size() == 1);
  }
}

TEST_CASE("lines without their own hue have one colour together, which is not that of what is free") {
  SmallSnapshot builder;
  builder.segment(0x7f0000000000, 41 * 4096);
  for (int line = 1; line <= 40; ++line) {
    const std::string frame = "/app/train.py:" + std::to_string(line) + ":step";
    builder.active(4096, 4096, builder.stack({frame}));
  }
  builder.inactive(4096);
  const Recording snapshot = builder.take();
  const std::string svg = drawn(end_of(snapshot));
  CHECK(shows(svg, "lines below the largest"));
  CHECK(parse_svg(svg).select_node("//g[@id='board']/g[@class='lesser']/path"));
}

TEST_CASE("private pools and side streams have their own places on the board, what waits to be freed a hatch") {
  SmallSnapshot builder;
  builder.segment(0x7f0000000000, 4096).pending(4096, 4096);
  builder.segment(0x7f0000100000, 4096).active(4096, 4096).pool({0, 3});
  builder.segment(0x7f0000200000, 4096, 7).inactive(4096);
  const Recording snapshot = builder.take();
  const std::string svg = drawn(end_of(snapshot));
  CHECK(shows(svg, "GPU 0, private pool (0, 3), stream 0"));
  CHECK(shows(svg, "GPU 0, default pool, stream 7"));
  CHECK(shows(svg, "1 segment, 4.00 KiB reserved, 0 % in use, largest hole 4.00 KiB"));
  const pugi::xml_document document = parse_svg(svg);
  CHECK(document.select_node("//g[@id='board']/g[@class='private-pool']/rect"));
  CHECK(document.select_node("//g[@id='board']/g[@class='other-stream']/rect"));
  CHECK(document.select_node("//g[@id='board']/g[@class='waiting']/path"));
}

TEST_CASE(
    "the script gets every piece of every segment: sizes, rounding, line, stack and the event of the allocation") {
  SmallSnapshot builder;
  const StackId stack = builder.stack({"/app/train.py:12:step", "/app/model.py:3:forward"});
  builder.segment(0x7f0000000000, 8192).active(1024, 1000, stack).inactive(3072).pending(4096, 4096);
  builder.event(Action::alloc, 0x7f0000000000, 1000, stack).segment(0x7f0100000000, 2048).inactive(2048);
  Recording snapshot = builder.take();
  snapshot.end.segments[1].is_expandable = true;
  const pugi::xml_document document = parse_svg(drawn(end_of(snapshot)));
  const pugi::xml_node data = document.select_node("//metadata[@id='board-data']").node();
  CHECK(data.select_node(".//cell[not(@x)]").node().text().get() == std::string("2,24,0,1,0 =6 ~8,0,1,,"));
  CHECK(data.select_node(".//cell[not(@x)]/@a").attribute().value() == std::string("0x7f0000000000"));
  REQUIRE(data.select_nodes(".//cell[@x]").size() == 1);
  CHECK(data.select_node(".//cell[@x]/@a").attribute().value() == std::string("0x7f0100000000"));
  CHECK(data.select_node("stacks").node().text().get() == std::string(":0 0:1"));
  CHECK(data.select_nodes("classes/c").size() == 2);
  CHECK(document.select_nodes("//metadata[@id='board-frames']/f").size() == 2);
}

TEST_CASE("where the budget is small small neighbours are one piece for the script, and no byte is lost") {
  SmallSnapshot builder;
  builder.segment(0x7f0000000000, 20'000 * 1024);
  for (int i = 0; i < 20'000; ++i)
    builder.active(512, 500).inactive(512);
  const Recording snapshot = builder.take();
  SvgOptions options;
  options.max_bytes = 200'000;
  const std::string svg = drawn(end_of(snapshot), options);
  CHECK(svg.size() <= options.max_bytes);
  std::istringstream pieces(parse_svg(svg).select_node("//metadata[@id='board-data']//cell").node().text().get());
  std::uint64_t units = 0;
  bool has_merged = false;
  for (std::string piece; pieces >> piece;) {
    has_merged = has_merged || piece.front() == '*';
    units += std::stoull(piece.substr(piece.find_first_of("0123456789")));
  }
  CHECK(has_merged);
  CHECK(units * 512 == snapshot.end.segments[0].total_bytes);
}

TEST_CASE("a state of nothing is also drawn") {
  const Recording snapshot;
  CHECK(shows(drawn(end_of(snapshot)), "0 segments"));
}

TEST_CASE("memviz state draws the moment that it is asked for") {
  const std::string file = (testdata() / "oom_expandable.pickle").string();
  CHECK(shows(run({"state", file, "-o", "-", "-q"}).out, "at the out-of-memory error"));
  CHECK(shows(run({"state", file, "--at", "end", "-o", "-", "-q"}).out, "at the end of recording"));
  const auto without_output = run({"state", file});
  CHECK(without_output.exit_code == 2);
  CHECK(without_output.err == "memviz: state needs an output: add -o state.svg, or -o - for standard output\n");
}

TEST_CASE("rows of a state that would look alike have the folders that distinguish them") {
  SmallSnapshot builder;
  builder.segment(0x7f0000000000, 1 << 20)
      .active(1 << 19, 1 << 19, builder.stack({"/app/a/block.py:7:forward"}))
      .active(1 << 19, 1 << 19, builder.stack({"/app/b/block.py:7:forward"}));
  const Recording snapshot = builder.take();
  const std::string svg = drawn(end_of(snapshot));
  CHECK(shows(svg, "forward a/block.py:7"));
  CHECK(shows(svg, "forward b/block.py:7"));
}
