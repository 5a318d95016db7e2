#pragma once

// A board and its layout -> shapes: holes stay pale, blocks have the colour of their class, what waits to be freed is
// hatched, large blocks say whose they are.

#include "page/page.hpp"
#include "segments/board_layout.hpp"

namespace memviz::render {

/// The hatch of pending blocks, in <defs>, and its rules.
void define_board_styles(Page& page);

/// Draws into `parent`, whose origin is the board's.
void draw_board(XmlElement parent, const MemoryMap& memory, const Colouring& colouring, const BoardLayout& layout);

} // namespace memviz::render
