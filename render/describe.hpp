#pragma once

// Box -> the words on it and in its tooltip, and its colour.

#include "layout.hpp"
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

[[nodiscard]] const Paint& paint_of(CodeOrigin origin);
[[nodiscard]] std::string_view origin_name(CodeOrigin origin);

/// "forward" and "model.py:41", with everything on one line.
[[nodiscard]] Label frame_label(const FrameTable& frames, FrameId frame);
/// Name, full path and line, and origin in words, on two lines.
[[nodiscard]] std::string frame_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                                        FrameId frame);
/// The same for any node: one that is no frame is named by node_label().
[[nodiscard]] Label key_label(const FrameTable& frames, const NodeKey& key);
[[nodiscard]] std::string key_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                                      const NodeKey& key);
/// format_delta() with a minus sign as wide as the plus.
[[nodiscard]] std::string delta_text(std::int64_t bytes);
/// "1 block", "2,140 blocks"
[[nodiscard]] std::string count_of(std::uint64_t count, std::string_view noun);

[[nodiscard]] Graph describe(const FrameTable& frames, const std::vector<CodeOrigin>& origins, const FrameTree& tree,
                             const Layout<Amount>& layout);
[[nodiscard]] Graph describe(const FrameTable& frames, const std::vector<CodeOrigin>& origins, const DiffTree& tree,
                             const Layout<Change>& layout);

} // namespace memviz::render
