#include "page/header.hpp"

#include "page/notes.hpp"
#include "page/palette.hpp"
#include "page/text_fit.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace memviz::render {
namespace {

/// Font sizes of page.css.
constexpr double kSectionSize = 15;
constexpr double kAnswerSize = 16;
constexpr double kFactSize = 12;
constexpr double kFigureSize = 17;
/// The maximum columns of the line of facts for a file name.
constexpr std::size_t kFileColumns = 60;

constexpr double kHeaderSwatchWidth = 14;
constexpr double kFigureGap = 22;
constexpr double kFigureHeight = 64;
/// The maximum distance between figures, however wide the page is.
constexpr double kMostSpread = 60;

/// A style of page.css.
std::string_view style_of(FigureTone tone) {
  switch (tone) {
  case FigureTone::plain: break;
  case FigureTone::faint: return "muted";
  case FigureTone::more: return "plus";
  case FigureTone::less: return "minus";
  }
  return "";
}

/// Returns its colour in bars; null if it is not part of them.
const Paint* paint_of(MemoryPart part) {
  switch (part) {
  case MemoryPart::none: break;
  case MemoryPart::requested: return &paint::kRequested;
  case MemoryPart::rounding: return &paint::kRounding;
  case MemoryPart::pending_free: return &paint::kPending;
  case MemoryPart::inactive: return &paint::kInactive;
  case MemoryPart::unaccounted: return &paint::kUnaccounted;
  }
  return nullptr;
}

double natural_width(const Figure& figure) {
  const double name =
      sans_width(figure.name, kFactSize, Font::regular) + (figure.part == MemoryPart::none ? 0 : kHeaderSwatchWidth);
  return std::max(
      {name, sans_width(figure.value, kFigureSize, Font::bold), sans_width(figure.note, kFactSize, Font::regular)});
}

/// Left edge and line of each figure: on one line if they fit, else in columns.
struct FigurePlace {
  double x;
  std::size_t line;
};

std::vector<FigurePlace> places_of(const std::vector<Figure>& figures) {
  double all = 0;
  double widest = 1;
  for (const Figure& figure : figures) {
    const double width = natural_width(figure) + kFigureGap;
    all += width;
    widest = std::max(widest, width);
  }
  const auto count = static_cast<double>(figures.size());
  const bool is_one_line = all - kFigureGap <= kContentWidth;
  const double extra = std::min(kMostSpread, (kContentWidth + kFigureGap - all) / count);
  const double lines = std::ceil(count / std::max(1.0, std::floor((kContentWidth + kFigureGap) / widest)));
  const auto columns = static_cast<std::size_t>(std::ceil(count / lines));
  const double step = std::min(widest + kMostSpread, kContentWidth / static_cast<double>(columns));
  std::vector<FigurePlace> places;
  double x = kMargin;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (is_one_line) {
      places.push_back({x, 0});
      x += natural_width(figures[i]) + kFigureGap + extra;
    } else {
      places.push_back({kMargin + static_cast<double>(i % columns) * step, i / columns});
    }
  }
  return places;
}

void draw_figure(XmlElement item, double x, double y, const Figure& figure) {
  item.set("data-x", x).set("data-y", y);
  double name_x = x;
  if (const Paint* swatch = paint_of(figure.part); swatch != nullptr) {
    add_rect(add_group(item, swatch->name), x, y + 11, 9, 9).set("rx", 2).set("class", "swatch");
    name_x += kHeaderSwatchWidth;
  }
  add_text(item, name_x, y + 20, "figure-name muted", figure.name);
  add_text(item, x, y + 41, fmt::format("figure {}", style_of(figure.tone)), figure.value);
  if (!figure.note.empty()) add_text(item, x, y + 57, figure.is_warning ? "small warning" : "small muted", figure.note);
}

} // namespace

double draw_headline(Page& page, const std::string& sentence) {
  constexpr double kBaseline = 42;
  constexpr double kLineHeight = 29;
  const Paragraph paragraph{.css_class = "headline",
                            .font_size = kHeadlineSize,
                            .line_height = kLineHeight,
                            .most_lines = 3,
                            .font = Font::bold};
  return draw_paragraph(page.add_section(0, "words"), kBaseline, paragraph, sentence) - kLineHeight + 6;
}

double draw_heading(Page& page, double y, const std::string& text, const std::string& comment) {
  constexpr double kLineHeight = 19;
  XmlElement section = page.add_section(y, "words");
  const double baseline = y + 16;
  const double comment_width = comment.empty() ? 0 : sans_width(comment, kFactSize, Font::regular) + 20;
  const bool is_beside = sans_width(text, kSectionSize, Font::bold) + comment_width <= kContentWidth;
  double below = draw_paragraph(
      section, baseline,
      {.css_class = "section", .font_size = kSectionSize, .line_height = kLineHeight, .font = Font::bold}, text);
  if (comment.empty()) return below - 7;
  if (is_beside) {
    add_text(section, kMargin + kContentWidth, baseline, "muted end", comment).set("data-end", "1");
  } else {
    add_text(section, kMargin, below, "muted", fit_sans(comment, kContentWidth, kFactSize)).set("data-end", "1");
    section.set("data-end-below", "1");
    below += kLineHeight;
  }
  return below - 7;
}

double draw_answer(Page& page, double y, const std::string& sentence) {
  const Paragraph paragraph{.css_class = "answer", .font_size = kAnswerSize, .line_height = 22};
  return draw_paragraph(page.add_section(y, "words"), y + 20, paragraph, sentence) - 16;
}

double draw_facts(Page& page, double y, const std::string& file, const std::vector<std::string>& facts,
                  const std::string& alert) {
  constexpr double kLineHeight = 18;
  XmlElement section = page.add_section(y, "words").set("data-separator", " · ").set("data-line", kLineHeight);
  double baseline = y + 16;
  const std::string shown = cut_start(file, kFileColumns);
  add_text(section, kMargin, baseline, "mono", shown).set("data-lead", "1");
  double x = kMargin + static_cast<double>(columns_of(shown)) * kFactSize * kMonoEm + 14;
  if (!alert.empty()) {
    const std::string fitted = fit_sans(alert, kMargin + kContentWidth - x, kFactSize, Font::bold);
    add_text(section, x, baseline, "strong warning", fitted).set("data-lead", "1");
    x += sans_width(fitted, kFactSize, Font::bold) + 14;
  }
  // Facts are not split: one that does not fit starts a new line, and wraps only if it is longer than that.
  std::string line;
  bool goes_on = false; // on the same line as the previous fact
  const auto draw_line = [&] {
    if (line.empty()) return;
    XmlElement text = add_text(section, x, baseline, "muted", line);
    if (goes_on) text.set("data-glued", " ");
    goes_on = false;
    line.clear();
  };
  const auto next_line = [&] {
    draw_line();
    x = kMargin;
    baseline += kLineHeight;
  };
  for (const std::string& fact : facts) {
    const std::string longer = line.empty() ? fact : fmt::format("{} · {}", line, fact);
    if (sans_width(longer, kFactSize, Font::regular) > kMargin + kContentWidth - x) {
      next_line();
      for (const std::string& part : wrap(fact, kContentWidth, kFactSize, Font::regular)) {
        if (!line.empty()) {
          next_line();
          goes_on = true;
        }
        line = part;
      }
    } else {
      line = longer;
    }
  }
  draw_line();
  return baseline + 8;
}

double draw_figures(Page& page, double y, const std::vector<Figure>& figures) {
  if (figures.empty()) return y;
  const std::vector<FigurePlace> places = places_of(figures);
  const double height = kFigureHeight * static_cast<double>(places.back().line + 1);
  XmlElement section = page.add_section(y, "items").set("data-spread", "1").set("data-line", kFigureHeight);
  section.set("data-gap", kFigureGap).set("data-height", height);
  for (std::size_t i = 0; i < figures.size(); ++i)
    draw_figure(section.child("g"), places[i].x, y + static_cast<double>(places[i].line) * kFigureHeight, figures[i]);
  return y + height;
}

} // namespace memviz::render
