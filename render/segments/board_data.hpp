#pragma once

// A board -> the data from which the picture's script draws: every piece of every segment, with its stack.

#include "page/xml_writer.hpp"
#include "segments/board_layout.hpp"

#include "memviz/replay.hpp"

#include <cstddef>
#include <vector>

namespace memviz::render {

struct BoardData {
  const MemoryState& state;
  const std::vector<CodeOrigin>& origins;
  const Colouring& colouring;
  std::size_t most_frames = 0; ///< of a stack: the innermost ones
  std::size_t max_bytes = 0;   ///< of the picture
};

/// Writes <metadata id="board-data">: classes and stacks of blocks, places, bands and segments; web/state/model.js
/// reads it. All of it is numbers and our own words, except the names of classes and notes. Its frames are in <metadata
/// id="board-frames">.
void write_board_data(XmlElement svg, const BoardData& data, const Board& board);

} // namespace memviz::render
