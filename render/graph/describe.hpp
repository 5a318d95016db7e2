#pragma once

// Box -> the words on it and in its tooltip, and its colour.

#include "graph/box_kinds.hpp"
#include "graph/layout.hpp"
#include "page/frame_paints.hpp"
#include "page/naming.hpp"
#include "page/palette.hpp"
#include "page/text_fit.hpp"

#include "memviz/frames.hpp"
#include "memviz/keeper_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz::render {

/// Both sides of a box in a comparison.
struct Sides {
  Amount before;
  Amount after;
};

/// The quantity that the weights of a tree count.
enum class Quantity : std::uint8_t {
  memory, ///< bytes, in blocks
  work,   ///< floating point operations, in calls of operators
};

/// The role of a box, for the script, which builds other trees of the same boxes.
enum class BoxRole : std::uint8_t {
  group,   ///< a level above the stacks: root, device, pool, stream, segment, state
  reason,  ///< a leaf in place of a stack: rounding, or why there is none
  frames,  ///< one frame, or a folded run of them
  smaller, ///< several stacks merged into one box
};

/// A box as it is drawn, whatever its weight.
struct GraphBox {
  BoxRole role = BoxRole::group;
  const Paint* paint = &paint::kGroup;
  std::uint32_t parent = 0; ///< index of a box; the root is its own
  std::uint32_t row = 0;
  std::uint64_t x_units = 0;
  std::uint64_t width_units = 0;
  bool is_squeezed = false;
  Label label;
  std::string title;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::optional<Sides> sides;
  std::vector<FrameId> frames; ///< outermost first; several if a run is folded into this box
  std::uint64_t stacks = 0;    ///< for a merged box: their number
  KindShares kinds;
  std::string reason; ///< for a kind of memory without a stack: the evidence for it
};

/// A graph ready to be drawn.
struct FlameGraph {
  std::vector<GraphBox> boxes;
  std::uint64_t units = 0;
  std::uint32_t rows = 0;
  bool is_squeezed = false;
  const FrameTable* frames = nullptr;
  const std::vector<CodeOrigin>* origins = nullptr;
  const FramePaints* paints = nullptr;
  Quantity quantity = Quantity::memory;
  bool has_kinds = false;        ///< whether some kind is known
  bool has_keepers = false;      ///< whether some box is a step of a keeper's path
  bool has_kind_colours = false; ///< whether boxes are coloured by kind
};

/// The facts that boxes depend on, besides frames; the result keeps references to them.
struct FrameWords {
  const FrameTable& frames;
  const std::vector<CodeOrigin>& origins;
  const FramePaints& paints;            ///< in comparisons, only what a script makes of their frames
  Quantity quantity = Quantity::memory; ///< for a tree of one snapshot
  const KeeperTable* keepers = nullptr; ///< of a tree by keeper
};

[[nodiscard]] FlameGraph describe(const FrameWords& words, const FrameTree& tree, const Layout<Amount>& layout,
                                  const TreeKinds& kinds = {});
[[nodiscard]] FlameGraph describe(const FrameWords& words, const DiffTree& tree, const Layout<Change>& layout);

} // namespace memviz::render
