#pragma once

// The top of all pictures: a sentence, its subject, and figures.

#include "page/page.hpp"

#include "story/figures.hpp"

#include <string>
#include <vector>

namespace memviz::render {

/// The font size of the headline in page.css.
inline constexpr double kHeadlineSize = 24;

/// Draws the sentence; returns the height below it.
[[nodiscard]] double draw_headline(Page& page, const std::string& sentence);

/// Draws the heading of a part of the page, with a comment at its right end if given.
[[nodiscard]] double draw_heading(Page& page, double y, const std::string& text, const std::string& comment = "");

/// Draws the text that follows the sentence, smaller, on one or more lines; returns the height below it.
[[nodiscard]] double draw_answer(Page& page, double y, const std::string& sentence);

/// Draws facts in a small font, on as many lines as needed; `file` comes first, in monospace, then `alert`, which a
/// reader must not miss.
[[nodiscard]] double draw_facts(Page& page, double y, const std::string& file, const std::vector<std::string>& facts,
                                const std::string& alert = "");

/// Draws figures side by side, all of the same width.
[[nodiscard]] double draw_figures(Page& page, double y, const std::vector<Figure>& figures);

} // namespace memviz::render
