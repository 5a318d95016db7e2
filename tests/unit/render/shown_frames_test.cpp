#include "page/shown_frames.hpp"

#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

using namespace memviz;
using namespace memviz::render;

TEST_CASE("tooltips show frames of the program, not of the interpreter or of what PyTorch's tools omit") {
  FrameTable frames;
  std::vector<FrameId> stack;
  const auto add = [&](std::string_view name, std::string_view file) {
    stack.push_back(frames.add_frame({frames.intern(name), frames.intern(file), 1}));
  };
  add("at::empty", "??");
  add("_PyEval_EvalFrameDefault", "??");
  add("forward", "model.py");
  add("method_vectorcall", "");
  add("core::unwind::unwind()", "??");
  add("main", "train.py");
  const StackId id = frames.add_stack(stack);
  ShownFrames shown(frames);
  const auto names = [&](std::size_t most) {
    std::vector<std::string> found;
    for (const FrameId frame : shown.of(id, most))
      found.emplace_back(frames.name(frame));
    return found;
  };
  CHECK(names(9) == std::vector<std::string>{"at::empty", "forward", "main"});
  CHECK(names(2) == std::vector<std::string>{"at::empty", "forward"});
  CHECK(shown.of(frames.add_stack({}), 9).empty());
}
