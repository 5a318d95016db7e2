#pragma once

// Blocks -> what distinguishes them in a picture: classes with a name and a colour. By the user's own line, in
// the colour of that line, of where it comes from, or of the kind of memory that the block is.

#include "page/naming.hpp"
#include "page/palette.hpp"

#include "memviz/block_lines.hpp"
#include "memviz/svg.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::render {

/// The paints of lines without their own hue: darker than free memory.
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
  std::vector<BlockClass> lines;       ///< where a line has several classes; else empty
  std::vector<std::uint32_t> of_block; ///< by block index: a place in `classes`; kNoLine where the block is free

  /// Returns the class of a block in use.
  [[nodiscard]] const BlockClass& class_of(std::uint32_t block) const { return classes[of_block[block]]; }
  /// Returns the holders, most bytes first.
  [[nodiscard]] const std::vector<BlockClass>& listed() const { return lines.empty() ? classes : lines; }
};

/// A class for each line. By line, the largest have their own hue, all others one colour together; by origin, each
/// has that of its code. What has no stack has the colour that says so in every picture.
[[nodiscard]] Colouring colouring_of(const FrameTable& frames, const std::vector<CodeOrigin>& origins, BlockLines lines,
                                     ColorBy color);
/// A class for each line and kind, with the evidence of the kind.
[[nodiscard]] Colouring colouring_by_kind(const MemoryState& state, const std::vector<CodeOrigin>& origins,
                                          BlockLines lines);

/// Makes classes by kind, by origin or by line, and by origin where the state has no kinds, of the blocks of `device`
/// or of all.
[[nodiscard]] Colouring colouring_for(const MemoryState& state, const std::vector<CodeOrigin>& origins,
                                      std::optional<DeviceId> device, ColorBy color);

/// The rules for these colours on light or dark pages, after those of palette_css().
[[nodiscard]] std::string colouring_rules(bool dark);

} // namespace memviz::render
