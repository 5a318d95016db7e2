#pragma once

// The top of all pictures: a sentence, what it is about, and figures.

#include "page/page.hpp"

#include "memviz/figures.hpp"

#include <string>
#include <vector>

namespace memviz::render {

/// Draws the sentence; returns the height below it.
[[nodiscard]] double draw_headline(Page& page, const std::string& sentence);

/// The heading of a part of the page, with a comment at its right end where there is one.
[[nodiscard]] double draw_heading(Page& page, double y, const std::string& text, const std::string& comment = "");

/// Draws what the sentence leads to, smaller, on one line or more; returns the height below it.
[[nodiscard]] double draw_answer(Page& page, double y, const std::string& sentence);

/// Facts in a small font, on as many lines as they take; `file` comes first, in monospace, then `alert`, which is
/// what a reader must not miss.
[[nodiscard]] double draw_facts(Page& page, double y, const std::string& file, const std::vector<std::string>& facts,
                                const std::string& alert = "");

/// Figures side by side, each with the same width.
[[nodiscard]] double draw_figures(Page& page, double y, const std::vector<Figure>& figures);

} // namespace memviz::render
