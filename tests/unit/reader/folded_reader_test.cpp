#include "recording/folded_reader.hpp"

#include "memviz/error.hpp"
#include "memviz/label.hpp"
#include "memviz/recording.hpp"
#include "support/states.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace memviz;

namespace {

/// "function file:line" of the frames of a block, innermost first.
std::vector<std::string> labels_of_block(const Recording& recording, const Block& block) {
  std::vector<std::string> frames;
  for (const FrameId frame : recording.frames.stack(block.stack))
    frames.push_back(node_label(recording.frames, frame));
  return frames;
}

} // namespace

TEST_CASE("folded stacks of memviz are read back with their stream, state and frames") {
  const Recording recording = read_snapshot("stream_0;active_allocated;train.py:1:<module>;net.py:22:forward 512\n"
                                            "stream_0;inactive 1536\n"
                                            "stream_7;active_pending_free;<non-python> 64\n");
  REQUIRE(recording.end.segments.size() == 2);
  CHECK(recording.end.segments[0].total_bytes == 2048);
  CHECK(recording.end.segments[1].stream == 7);
  const Block& block = recording.end.blocks[0];
  CHECK(block.state == BlockState::active_allocated);
  CHECK(block.requested_bytes == 512);
  CHECK(labels_of_block(recording, block) == std::vector<std::string>{"forward net.py:22", "<module> train.py:1"});
  CHECK(recording.end.blocks[1].state == BlockState::inactive);
  CHECK(recording.end.blocks[2].stack == kNoFrames);
  CHECK(recording.warnings.size() == 1);
  CHECK(recording.origin.generation == "unknown PyTorch");
}

TEST_CASE("folded stacks of other tools are names") {
  const Recording recording = read_snapshot("main;std::vector<int>::push_back;operator new 100\r\n\nmain;idle 7");
  REQUIRE(recording.end.blocks.size() == 2);
  CHECK(recording.end.segments[0].total_bytes == 107);
  CHECK(recording.frames.stack(recording.end.blocks[0].stack).size() == 3);
  CHECK(recording.frames.name(recording.frames.stack(recording.end.blocks[1].stack)[0]) == "idle");
}

TEST_CASE("a text that is not a folded stack is refused") {
  CHECK(!looks_like_folded("a text of 12"));
  CHECK(!looks_like_folded("a;b;c"));
  CHECK(!looks_like_folded("(dp0\nS'a;b'\n 1"));
  CHECK_THROWS_WITH_AS(static_cast<void>(read_snapshot("a;b 1\nno number\n")),
                       "byte 6: expected a line of folded stacks, 'a;b;c BYTES'", ParseError);
  CHECK_THROWS_AS(static_cast<void>(read_snapshot("a;b 18446744073709551616\n")), Error);
  CHECK_THROWS_AS(static_cast<void>(test::end_of(read_snapshot("a;b 9223372036854775807\nc;d 9223372036854775807\n"))),
                  Error);
}
