#pragma once

// Built trees -> flame graphs of them, as `memviz flame` would draw them for such a file.

#include "memviz/svg.hpp"
#include "support/tree_builder.hpp"

#include <memory>
#include <string>
#include <vector>

namespace memviz::test {

/// Returns a state with the frames and totals of a built tree.
struct Drawing {
  std::shared_ptr<Recording> recording = std::make_shared<Recording>();
  MemoryState state = {{}, recording, {}, {}};
  FrameTree tree;
  std::vector<DeviceState> devices;
  std::vector<UserLine> users;
  std::string file = "train.pickle";
  std::string moment = "at the end of recording";

  [[nodiscard]] std::string svg(const SvgOptions& options = {.scripts = false}) const {
    return flame_svg({file, {state, devices, users, moment}, tree}, options);
  }
};

/// Returns a drawing of these leaves, each a path of the tree with its bytes and blocks.
Drawing drawing_of(const std::vector<Leaf>& leaves);

/// A step of training: two lines in use, memory from before the recording, and much that is free.
Drawing training();

/// The directory of the library's frames in training().
constexpr const char* kTorch = "/usr/lib/python3/dist-packages/torch/nn/";

/// Returns visible_text() with each sentence in one piece, even if it takes several lines.
std::string sentences(const std::string& svg);

} // namespace memviz::test
