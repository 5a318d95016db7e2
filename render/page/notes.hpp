#pragma once

// Sentences at the foot of a picture, wrapped to its width.

#include "page/page.hpp"

#include <string>
#include <vector>

namespace memviz::render {

/// `text` in lines of at most `width` pixels in a sans-serif font of `font_size`, broken at spaces, else anywhere.
[[nodiscard]] std::vector<std::string> wrap(const std::string& text, double width, double font_size);

/// Each warning with a mark before it, in the colour of warnings.
[[nodiscard]] double draw_warnings(Page& page, double y, const std::vector<std::string>& warnings);

[[nodiscard]] double draw_notes(Page& page, double y, const std::vector<std::string>& notes);

/// A note on whether accounts add up, with a tick or a warning's mark before it.
[[nodiscard]] double draw_verdict(Page& page, double y, bool is_good, const std::string& note);

/// The last line of the page, with the name of the program.
[[nodiscard]] double draw_signature(Page& page, double y, const std::string& text);

} // namespace memviz::render
