#pragma once

// The colours of a graph -> their meanings, in one line.

#include "page/page.hpp"
#include "page/palette.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace memviz::render {

struct LegendEntry {
  const Paint* paint;
  std::string meaning;
};

/// Draws a legend. `hint`, if given, is at the right end and says how to read the drawing; the drawing's script finds
/// it as `hint_id`.
[[nodiscard]] double draw_legend(Page& page, double y, const std::vector<LegendEntry>& entries, const std::string& hint,
                                 std::string_view hint_id = "reading");

/// Returns the kinds of memory, several kinds and unknown, with their colours.
[[nodiscard]] std::vector<LegendEntry> kind_legend();

/// Returns how to read a graph: the direction of calls, and whether some boxes are not to scale.
[[nodiscard]] std::string reading_hint(const SvgOptions& options, bool is_squeezed);

} // namespace memviz::render
