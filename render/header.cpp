#include "header.hpp"

#include "text_fit.hpp"

#include <fmt/format.h>

namespace memviz::render {
namespace {

/// Font size of the headline, with an allowance for bold type.
constexpr double kHeadlineSize = 22 * 1.15;
constexpr double kFactSize = 12;
/// At most so many columns of the line of facts go to a file name.
constexpr std::size_t kFileColumns = 60;

} // namespace

double draw_headline(Page& page, const std::string& sentence) {
  constexpr double kBaseline = 44;
  add_text(page.svg(), kMargin, kBaseline, "headline", fit_sans(sentence, kContentWidth, kHeadlineSize));
  return kBaseline + 6;
}

double draw_facts(Page& page, double y, const std::string& file, const std::vector<std::string>& facts) {
  const double baseline = y + 16;
  const std::string shown = cut_start(file, kFileColumns);
  add_text(page.svg(), kMargin, baseline, "mono", shown);
  std::string line;
  for (const std::string& fact : facts)
    line += (line.empty() ? "" : "  ·  ") + fact;
  const double x = kMargin + static_cast<double>(columns_of(shown)) * kFactSize * kMonoEm + 16;
  add_text(page.svg(), x, baseline, "muted", fit_sans(line, kMargin + kContentWidth - x, kFactSize));
  return baseline + 8;
}

double draw_figures(Page& page, double y, const std::vector<Figure>& figures) {
  const double step = kContentWidth / static_cast<double>(figures.size());
  double x = kMargin;
  for (const Figure& figure : figures) {
    double name_x = x;
    if (figure.swatch != nullptr) {
      XmlElement swatch = add_group(page.svg(), figure.swatch->name);
      add_rect(swatch, x, y + 11, 9, 9).set("rx", 2);
      name_x += 14;
    }
    add_text(page.svg(), name_x, y + 20, "figure-name muted", figure.name);
    add_text(page.svg(), x, y + 41, fmt::format("figure {}", figure.value_class), figure.value);
    if (!figure.note.empty()) add_text(page.svg(), x, y + 57, fmt::format("small {}", figure.note_class), figure.note);
    x += step;
  }
  return y + 64;
}

} // namespace memviz::render
