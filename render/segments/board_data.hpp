#pragma once

// A board -> what the picture's script draws from: every piece of every segment, with its stack.

#include "page/frame_list.hpp"
#include "segments/board_layout.hpp"

#include "memviz/replay.hpp"

#include <cstddef>
#include <span>

namespace memviz::render {

struct BoardData {
  const MemoryState& state;
  const Colouring& colouring;
  std::size_t most_frames = 0; ///< of a stack: the innermost
};

/// Writes <metadata id="board-data">: classes and stacks of blocks, places, bands and segments; web/state/model.js
/// reads it. All of it is numbers and our own words, but for the names of classes and
/// notes. Returns the frames
/// that it names.
[[nodiscard]] FrameList write_board_data(XmlElement svg, const BoardData& data, const Board& board);

} // namespace memviz::render
