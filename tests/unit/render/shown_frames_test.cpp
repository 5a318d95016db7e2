#include "page/shown_frames.hpp"

#include "page/frame_list.hpp"
#include "page/xml_writer.hpp"
#include "support/svg_check.hpp"

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

TEST_CASE("long names of many frames are cut to their share of a picture's bytes") {
  constexpr std::size_t kFrames = 1000;
  const auto name_bytes = [](std::size_t most_bytes) {
    FrameTable frames;
    FrameList list;
    const StringId name = frames.intern(std::string(2000, 'n'));
    const StringId file = frames.intern("/app/model.py");
    for (std::size_t i = 0; i < kFrames; ++i)
      static_cast<void>(list.index_of(frames.add_frame({name, file, static_cast<std::int64_t>(i)})));
    const std::vector<CodeOrigin> origins(kFrames, CodeOrigin::user);
    XmlDocument document("svg");
    list.write(document.root(), frames, origins, FramePaints(frames, origins), most_bytes);
    const std::string heading = test::parse_svg(document.serialize()).select_node("//f").node().text().get();
    return heading.find('\n');
  };
  CHECK(name_bytes(200 * kFrames) == doctest::Approx(100).epsilon(0.05));
  CHECK(name_bytes(20 * kFrames) == doctest::Approx(60).epsilon(0.05)); // but not below this
  CHECK(name_bytes(20'000 * kFrames) == doctest::Approx(1000).epsilon(0.05));
}
