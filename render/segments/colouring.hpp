#pragma once

// Blocks -> the classes that distinguish them in a picture, each with a name and a colour: by the user's own line, with
// the colour of that line, of the origin of its code, or of the kind of the block's memory.

#include "page/line_hues.hpp"
#include "page/naming.hpp"
#include "page/palette.hpp"

#include "memviz/block_lines.hpp"
#include "memviz/keeper_table.hpp"
#include "memviz/svg.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memviz::render {

/// The paints of lines without a separate hue: darker than free memory.
namespace paint {
inline constexpr Paint kLesserLines{"lesser", "#bdb6a6", "#1d2026", "#46443d", "#f6f3ec"};
} // namespace paint

struct BlockClass {
  Label label;
  std::string title; ///< in full, for a tooltip
  const Paint* paint = nullptr;
  Amount amount;          ///< requested bytes, and blocks
  std::string kinds = {}; ///< "activation, by behaviour"; of a line "activation 60 %, temporary 30 %"
};

struct Colouring {
  std::string heading;                 ///< "Who holds it, by your own line of code"
  std::vector<BlockClass> classes;     ///< most bytes first
  std::vector<BlockClass> lines;       ///< if a line has several classes; else empty
  std::vector<std::uint32_t> of_block; ///< by block index: an index into `classes`; kNoLine for a free block
  std::optional<KeeperLines> keepers;  ///< of the same blocks, if the recording has some
  bool is_by_keeper = false;

  /// Returns the class of a block in use.
  [[nodiscard]] const BlockClass& class_of(std::uint32_t block) const { return classes[of_block[block]]; }
  /// Returns the holders, most bytes first.
  [[nodiscard]] const std::vector<BlockClass>& listed() const { return lines.empty() ? classes : lines; }
};

/// Makes a class for each line. By line, the largest have separate hues and all others share one colour; by origin,
/// each has the colour of its code. Memory without a stack has the colour for that of every picture.
[[nodiscard]] Colouring colouring_of(const FrameTable& frames, const std::vector<CodeOrigin>& origins, BlockLines lines,
                                     const ColourChoice& choice);
/// Makes a class for each line and kind, with the evidence for the kind.
[[nodiscard]] Colouring colouring_by_kind(const MemoryState& state, const std::vector<CodeOrigin>& origins,
                                          BlockLines lines);

/// Makes a class for each keeper, of a state whose recording has some. The largest have separate hues.
[[nodiscard]] Colouring colouring_by_keeper(const MemoryState& state, const std::vector<CodeOrigin>& origins,
                                            KeeperLines keepers, std::span<const NodeKey> hued_lines = {});

/// Makes classes by kind, by origin, by line or by keeper, and by origin if the state has none of these, for the blocks
/// of `device` or of all.
[[nodiscard]] Colouring colouring_for(const MemoryState& state, const std::vector<CodeOrigin>& origins,
                                      std::optional<DeviceId> device, const ColourChoice& choice);

/// Returns the rules for these colours on light or dark pages, to follow those of palette_css().
[[nodiscard]] std::string colouring_rules(bool dark);

} // namespace memviz::render
