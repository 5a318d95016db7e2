#pragma once

// The modules of a model -> the tree of a picture, with operators as its leaves.

#include "memviz/flops.hpp"
#include "memviz/frames.hpp"
#include "memviz/label.hpp"
#include "memviz/tree.hpp"

#include <vector>

namespace memviz {

/// The rows of module_rows() as frames, operators as the innermost ones; a node weighs operations (instead of
/// bytes) and calls (in that of blocks).
struct FlopsTree {
  FrameTable frames;
  FrameTree tree;
  std::vector<CodeOrigin> origins; ///< by frame: the user's modules, torch's, and operators, which look like C++
};

/// Throws Error where the count of the model has no value.
[[nodiscard]] FlopsTree flops_tree(const ModelFlops& model);

} // namespace memviz
