#pragma once

// The answer of a picture, large enough to read where the picture is drawn narrow and no script lays it out: as an
// image in an issue on a phone. Below 600 pixels page.css shows it instead of the sections above the drawing.

#include "page/ranked_list.hpp"

#include <string>
#include <vector>

namespace memviz::render {

struct NarrowHead {
  std::string headline;
  std::string short_headline = {}; ///< drawn where the headline would be cut
  std::string answer = {};
  const RankedList* users = nullptr;       ///< its leading rows
  std::vector<std::string> sentences = {}; ///< below the rows, those that fit
};

/// Draws the headline in place of all sections so far, which end at `bottom`, then as many of the leading rows, the
/// answer and the sentences as have room there.
void draw_narrow_head(Page& page, double bottom, const NarrowHead& head);

} // namespace memviz::render
