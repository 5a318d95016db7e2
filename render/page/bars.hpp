#pragma once

// Totals -> bars at true scale, one per row, all on one scale: a bar shows even what the graph squeezes.

#include "page/page.hpp"
#include "page/palette.hpp"

#include "memviz/replay.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::render {

struct BarPart {
  const Paint* paint;
  std::string name;
  std::uint64_t bytes;
};

struct Bar {
  std::string name; ///< left of the bar; if empty for all bars, they take the whole width
  std::vector<BarPart> parts;
  std::string note;       ///< right of the bar
  bool is_detail = false; ///< thinner, with an indented name: a part of the bar above
};

/// Returns the parts of a device's reserved memory; their sum is reserved_bytes.
[[nodiscard]] std::vector<BarPart> bar_parts(const MemoryTotals& totals);

[[nodiscard]] double draw_bars(Page& page, double y, const std::vector<Bar>& bars);

} // namespace memviz::render
