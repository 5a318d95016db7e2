#pragma once

// The modules of a model -> the tree of a picture, with operators as its leaves.

#include "memviz/flops.hpp"
#include "memviz/frames.hpp"
#include "memviz/label.hpp"
#include "memviz/tree.hpp"

#include <vector>

namespace memviz {

/// The rows of module_rows() as frames, with operators as the innermost ones. A node's weight is operations (in place
/// of bytes) and calls (in place of blocks).
struct FlopsTree {
  FrameTable frames;
  FrameTree tree;
  std::vector<CodeOrigin> origins; ///< by frame: the user's modules, torch's, and operators, which are shown as C++
};

/// Throws Error if the count of the model has no value.
[[nodiscard]] FlopsTree flops_tree(const ModelFlops& model);

} // namespace memviz
