#pragma once

// The segments of a state -> their part of a page: a legend with what each class holds, then every segment to scale,
// and the data that a script needs to redraw them.

#include "page/page.hpp"
#include "page/ranked_list.hpp"
#include "segments/board_layout.hpp"

#include "memviz/pins.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz::render {

/// Returns the largest classes, in their colours; shares are of `requested_bytes`.
[[nodiscard]] RankedList class_list(const Colouring& colouring, std::uint64_t requested_bytes);

struct BoardPanel {
  const MemoryState& state;
  const std::vector<CodeOrigin>& origins;
  const Colouring& colouring;
  const Pins& pins;
  std::optional<DeviceId> device; ///< only this one
  bool has_graph = false;         ///< whether the page has a graph, whose controls also search the segments
};

/// The level of detail of the segments.
struct BoardDetail {
  std::uint64_t least_bytes = 0; ///< smaller neighbours become one piece
  std::size_t most_frames = 256; ///< of each stack
  std::size_t most_segments = 4096;
};

/// Returns the next coarser one.
[[nodiscard]] BoardDetail coarser(BoardDetail detail, std::uint64_t reserved_bytes);

/// Draws heading, legend and segments, with the data for the script if `options` has scripts. Returns the height below
/// them.
[[nodiscard]] double draw_board_panel(Page& page, double y, const BoardPanel& panel, const SvgOptions& options,
                                      const BoardDetail& detail);

} // namespace memviz::render
