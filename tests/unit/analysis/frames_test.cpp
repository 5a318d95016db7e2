#include "memviz/frames.hpp"

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

using namespace memviz;

TEST_CASE("equal strings, frames and stacks have equal ids") {
  FrameTable frames;
  const StringId name = frames.intern("step");
  CHECK(frames.intern(std::string("st") + "ep") == name);
  CHECK(frames.intern("") == kEmptyString);

  const FrameId inner = frames.add_frame({name, frames.intern("train.py"), 12});
  const FrameId outer = frames.add_frame({name, frames.intern("train.py"), 13});
  CHECK(inner != outer);
  CHECK(frames.add_frame({name, frames.intern("train.py"), 12}) == inner);

  const std::vector<FrameId> stack{inner, outer};
  const StackId id = frames.add_stack(stack);
  CHECK(frames.add_stack(stack) == id);
  CHECK(frames.add_stack(std::vector<FrameId>{outer, inner}) != id);
  CHECK(frames.add_stack({}) == kNoFrames);
  CHECK(frames.stack(kNoContext).empty());
  CHECK(std::vector<FrameId>(frames.stack(id).begin(), frames.stack(id).end()) == stack);
}

TEST_CASE("text that is not UTF-8 is made so once, where it enters") {
  FrameTable frames;
  const StringId id = frames.intern("caf\xE9");
  CHECK(frames.text(id) == "caf\xEF\xBF\xBD");
  CHECK(frames.intern("caf\xE9") == id);
  // A lone surrogate, as Python's surrogatepass writes it.
  CHECK(frames.text(frames.intern("a\xED\xA0\x80z")) == "a\xEF\xBF\xBDz");
}

TEST_CASE("a table that was moved still knows its strings") {
  FrameTable frames;
  const StringId id = frames.intern("short");
  FrameTable moved = std::move(frames);
  CHECK(moved.text(id) == "short");
  CHECK(moved.intern("short") == id);
}
