#include "memviz/svg.hpp"

#include "support/files.hpp"
#include "support/process.hpp"
#include "support/small_snapshot.hpp"
#include "support/svg_check.hpp"

#include "memviz/format.hpp"
#include "memviz/input.hpp"

#include <doctest/doctest.h>
#include <string>

using namespace memviz;
using namespace memviz::test;

namespace {

std::string drawn(const Snapshot& snapshot, const Replay& accounts, const SvgOptions& options = {}) {
  std::string svg = state_svg({.file = "a <b> & c.pickle",
                               .snapshot = snapshot,
                               .replay = accounts,
                               .device = std::nullopt,
                               .warnings = accounts.warnings},
                              options);
  check_svg(svg);
  return svg;
}

bool shows(const std::string& svg, const std::string& part) {
  return visible_text(parse_svg(svg)).find(part) != std::string::npos;
}

/// 2 MiB each, of which `different` look different.
Snapshot of_segments(std::uint64_t count, std::uint64_t different) {
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
  const Snapshot snapshot = builder.take();
  const std::string svg = drawn(snapshot, replay(snapshot));
  CHECK(shows(svg, "0x7f0000000000 · 4.00 KiB · GPU 0 · stream 7 · 25.0 % in use"));
  CHECK(shows(svg, "0x7e0000000000 · 8.00 KiB · GPU 0 · stream 0 · 0 % in use"));
  CHECK(shows(svg, "2 segments with 3 blocks: 11.0 KiB free in 2 holes, the largest of 8.00 KiB."));
  CHECK(shows(svg, "<step> & more train.py:12"));
}

TEST_CASE("at an out-of-memory error a state has the request beside the largest hole") {
  const Input input = read_input((testdata() / "oom_expandable.pickle").string());
  Snapshot snapshot = read_snapshot(input.bytes());
  MomentChoice choice;
  choice.kind = MomentKind::oom;
  const Replay accounts = rewind(snapshot, choice);
  const std::string svg = drawn(snapshot, accounts);
  CHECK(shows(svg, "ran out of memory: "));
  CHECK(shows(svg, "asked for"));
  CHECK(shows(svg, "largest free run for it"));
  CHECK(shows(svg, "at the out-of-memory error"));
  for (const Segment& segment : snapshot.segments)
    CHECK(shows(svg, format_address(segment.address)));
}

TEST_CASE("segments that the budget has no room for are left out, and counted") {
  const Snapshot snapshot = of_segments(5000, 2000);
  const Replay accounts = replay(snapshot);
  SvgOptions options;
  options.max_bytes = 100'000;
  const std::string svg = drawn(snapshot, accounts, options);
  CHECK(svg.size() <= options.max_bytes);
  CHECK(shows(svg, "more segments with "));
  CHECK(shows(svg, "5,000 segments with 10,000 blocks"));
  CHECK(svg == drawn(snapshot, accounts, options));
}

TEST_CASE("segments that look the same share a row") {
  const Snapshot snapshot = of_segments(120, 2);
  const std::string svg = drawn(snapshot, replay(snapshot));
  CHECK(shows(
      svg, "60 segments of 2.00 MiB, 120 MiB together, the first 0x7f0000000000 · GPU 0 · stream 0 · 50.0 % in use"));
  CHECK(shows(svg, "the first 0x7f0000200000"));
  CHECK_FALSE(shows(svg, "0x7f0000400000"));
}

TEST_CASE("a state of nothing is drawn, too") {
  const Snapshot snapshot;
  CHECK(shows(drawn(snapshot, replay(snapshot)), "0 segments"));
}

TEST_CASE("memviz state draws the moment that it is asked for") {
  const std::string file = (testdata() / "oom_expandable.pickle").string();
  CHECK(shows(run({"state", file, "-o", "-", "-q"}).out, "at the out-of-memory error"));
  CHECK(shows(run({"state", file, "--at", "end", "-o", "-", "-q"}).out, "at the end of recording"));
  const auto without_output = run({"state", file});
  CHECK(without_output.exit_code == 2);
  CHECK(without_output.err == "memviz: state needs an output: add -o state.svg, or -o - for standard output\n");
}
