#pragma once

// A board -> its part of a page: what its colours mean and who holds how much, then every segment to scale.

#include "page/page.hpp"
#include "page/ranked_list.hpp"
#include "segments/board_layout.hpp"

#include "memviz/pins.hpp"

#include <cstdint>

namespace memviz::render {

/// The largest classes, in their colours; shares are of `requested_bytes`.
[[nodiscard]] RankedList class_list(const Colouring& colouring, std::uint64_t requested_bytes);

struct BoardPanel {
  const MemoryState& state;
  const Colouring& colouring;
  const Pins& pins;
  const Board& board;
  bool has_script = false;
};

/// Heading, legend and segments. Returns the height below them.
[[nodiscard]] double draw_board_panel(Page& page, double y, const BoardPanel& panel);

} // namespace memviz::render
