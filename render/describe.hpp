#pragma once

// Box -> the words on it and in its tooltip, and its colour.

#include "layout.hpp"
#include "naming.hpp"
#include "palette.hpp"
#include "text_fit.hpp"

#include "memviz/frames.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz::render {

/// Both sides of a box in a comparison.
struct Sides {
  Amount before;
  Amount after;
};

/// A box as it is drawn, whatever it weighs.
struct GraphBox {
  const Paint* paint = &paint::kGroup;
  std::uint32_t row = 0;
  std::uint64_t x_units = 0;
  std::uint64_t width_units = 0;
  bool is_squeezed = false;
  Label label;
  std::string title;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::optional<Sides> sides;
  std::vector<FrameId> run; ///< outermost first; empty unless frames are folded into this box
};

/// A graph ready to be drawn.
struct Graph {
  std::vector<GraphBox> boxes;
  std::uint64_t units = 0;
  std::uint32_t rows = 0;
  bool is_squeezed = false;
  const FrameTable* frames = nullptr;
  const std::vector<CodeOrigin>* origins = nullptr;
};

[[nodiscard]] Graph describe(const FrameTable& frames, const std::vector<CodeOrigin>& origins, const FrameTree& tree,
                             const Layout<Amount>& layout);
[[nodiscard]] Graph describe(const FrameTable& frames, const std::vector<CodeOrigin>& origins, const DiffTree& tree,
                             const Layout<Change>& layout);

} // namespace memviz::render
