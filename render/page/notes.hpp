#pragma once

// Sentences at the foot of a picture, wrapped to its width.

#include "page/page.hpp"
#include "page/text_fit.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::render {

/// Returns `text` in lines of at most `width` pixels in a sans-serif font of `font_size`, broken at spaces, else
/// anywhere.
[[nodiscard]] std::vector<std::string> wrap(const std::string& text, double width, double font_size,
                                            Font font = Font::any);

/// The layout of a paragraph in its section, whose flow is "words".
struct Paragraph {
  std::string_view css_class;
  double font_size;
  double line_height;
  double width = kContentWidth;
  double indent = 0;
  std::size_t most_lines = 1000; ///< the last line is cut
  Font font = Font::any;
};

/// Draws `text` with its first line's baseline at `y`; returns the baseline below the last line.
[[nodiscard]] double draw_paragraph(XmlElement section, double y, const Paragraph& paragraph, const std::string& text);

/// Draws each warning after a mark, in the colour of warnings.
[[nodiscard]] double draw_warnings(Page& page, double y, const std::vector<std::string>& warnings);

[[nodiscard]] double draw_notes(Page& page, double y, const std::vector<std::string>& notes);

/// Draws a note on whether accounts balance, after a tick or a warning's mark.
[[nodiscard]] double draw_verdict(Page& page, double y, bool is_good, const std::string& note);

/// Draws the last line of the page, with the name and the version of the program.
[[nodiscard]] double draw_signature(Page& page, double y);

} // namespace memviz::render
