#include "page/header.hpp"

#include "page/notes.hpp"
#include "page/text_fit.hpp"

#include <fmt/format.h>

namespace memviz::render {
namespace {

/// Font sizes of page.css, and an allowance for bold type.
constexpr double kBold = 1.15;
constexpr double kHeadlineSize = 24 * kBold;
constexpr double kAnswerSize = 16;
constexpr double kFactSize = 12;
/// At most so many columns of the line of facts go to a file name.
constexpr std::size_t kFileColumns = 60;
/// Widths of sans-serif text are estimated from above: this much of an estimate is what the widest real font needs.
constexpr double kWidestFont = 0.85;

} // namespace

double draw_headline(Page& page, const std::string& sentence) {
  constexpr double kBaseline = 44;
  add_text(page.svg(), kMargin, kBaseline, "headline", fit_sans(sentence, kContentWidth, kHeadlineSize));
  return kBaseline + 6;
}

double draw_answer(Page& page, double y, const std::string& sentence) {
  for (const std::string& line : wrap(sentence, kContentWidth, kAnswerSize)) {
    add_text(page.svg(), kMargin, y + 20, "answer", line);
    y += 22;
  }
  return y + 4;
}

double draw_facts(Page& page, double y, const std::string& file, const std::vector<std::string>& facts,
                  const std::string& alert) {
  double baseline = y + 16;
  const std::string shown = cut_start(file, kFileColumns);
  add_text(page.svg(), kMargin, baseline, "mono", shown);
  double x = kMargin + static_cast<double>(columns_of(shown)) * kFactSize * kMonoEm + 14;
  if (!alert.empty()) {
    const std::string fitted = fit_sans(alert, kMargin + kContentWidth - x, kFactSize * kBold);
    add_text(page.svg(), x, baseline, "strong warning", fitted);
    x += sans_width(fitted, kFactSize * kBold) * kWidestFont + 14;
  }
  // Facts stay whole: one that does not fit begins a line of its own.
  std::string line;
  const auto draw_line = [&] {
    if (!line.empty()) add_text(page.svg(), x, baseline, "muted", line);
    line.clear();
  };
  for (const std::string& fact : facts) {
    const std::string longer = line.empty() ? fact : fmt::format("{} · {}", line, fact);
    if (sans_width(longer, kFactSize) * kWidestFont > kMargin + kContentWidth - x) {
      draw_line();
      x = kMargin;
      baseline += 18;
      line = fit_sans(fact, kContentWidth, kFactSize);
    } else {
      line = longer;
    }
  }
  draw_line();
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
