#pragma once

// Tree -> boxes: where each node is, in exact units (bytes, except for squeezed nodes), rows counted from the root.
// Unbranching runs of frames that are not the user's own become one box; nodes too narrow to see become one box per
// parent that keeps their bytes.

#include "memviz/label.hpp"
#include "memviz/tree.hpp"

#include <cstdint>
#include <vector>

namespace memviz::render {

/// The unbranching runs of frames that become one box.
enum class Fold : std::uint8_t {
  nothing,
  boilerplate, ///< runs of frames that are not the user's own
  tall,        ///< the same; in a graph of more than kTallRows rows, also runs of the user's own
};
inline constexpr std::uint32_t kTallRows = 60;

struct LayoutOptions {
  Fold fold = Fold::boilerplate;
  double min_share = 0; ///< merge nodes narrower than this share of the root
  std::uint32_t max_rows = 1000;
};

enum class BoxKind : std::uint8_t {
  node,
  run,     ///< several frames, `first` down to `last`
  smaller, ///< the children of `first` that are too narrow to draw
  deeper,  ///< all children of `first`, below the last row
};

template <class Weight> struct Box {
  BoxKind kind = BoxKind::node;
  NodeId first;
  NodeId last;
  std::uint32_t parent = 0; ///< index of a box; the root is its own parent
  std::uint32_t row = 0;
  std::uint64_t x_units = 0; ///< left edge
  std::uint64_t width_units = 0;
  Weight total;
  std::uint64_t stacks = 0; ///< distinct stacks that end here or below
  bool is_squeezed = false; ///< drawn narrower than its bytes
};

template <class Weight> struct Layout {
  std::vector<Box<Weight>> boxes; ///< parents before children, in the order of a walk; empty if the root is
  std::uint64_t units = 0;        ///< width of the root
  std::uint32_t rows = 0;
  bool is_squeezed = false;
};

/// Lays out the tree. Free memory and memory that was not requested (inactive, unaccounted, not in focus) is squeezed
/// only if it would leave less than half of the width to the rest: then it gets kSqueezeTo of the width in total, and
/// is drawn as torn.
inline constexpr double kSqueezeAbove = 0.5;
inline constexpr double kSqueezeTo = 0.2;

template <class Weight>
[[nodiscard]] Layout<Weight> lay_out(const Tree<Weight>& tree, const std::vector<CodeOrigin>& origins,
                                     const LayoutOptions& options);

extern template Layout<Amount> lay_out(const FrameTree&, const std::vector<CodeOrigin>&, const LayoutOptions&);
extern template Layout<Change> lay_out(const DiffTree&, const std::vector<CodeOrigin>&, const LayoutOptions&);

} // namespace memviz::render
