#pragma once

// A board and its layout -> shapes: free parts stay pale, blocks have the colour of their class, blocks that wait to be
// freed are hatched, and large blocks show their line.

#include "page/page.hpp"
#include "segments/board_layout.hpp"

namespace memviz::render {

/// Adds the hatch of pending blocks to <defs>, and its rules.
void define_board_styles(Page& page);

/// Draws into `parent`, whose origin is the board's.
void draw_board(XmlElement parent, const MemoryMap& memory, const Colouring& colouring, const BoardLayout& layout);

} // namespace memviz::render
