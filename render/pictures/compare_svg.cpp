#include "memviz/svg.hpp"

#include "graph/budget.hpp"
#include "graph/describe.hpp"
#include "graph/graph_view.hpp"
#include "page/bars.hpp"
#include "page/header.hpp"
#include "page/legend.hpp"
#include "page/notes.hpp"
#include "page/ranked_list.hpp"
#include "page/text_fit.hpp"
#include "pictures/compare_words.hpp"
#include "segments/segment_strips.hpp"

#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {
namespace render {
namespace {

constexpr double kHalfWidth = kContentWidth / 2 - 14;
constexpr double kRightHalf = kPageWidth / 2 + 14;

/// As many facts a line as fit, each whole.
std::vector<std::string> lines_of(const std::vector<std::string>& facts, double width, double font_size) {
  std::vector<std::string> lines;
  for (const std::string& fact : facts) {
    const std::string longer = lines.empty() ? fact : lines.back() + " · " + fact;
    if (!lines.empty() && sans_width(longer, font_size) <= width)
      lines.back() = longer;
    else
      lines.push_back(fit_sans(fact, width, font_size));
  }
  return lines;
}

struct Side {
  double x;
  const Paint& paint;
  const char* name;
  const std::string& file;
  std::vector<std::string> facts;
};

double draw_side(Page& page, double y, const Side& side) {
  constexpr std::size_t kFileColumns = 58;
  constexpr double kFactSize = 12;
  add_rect(add_group(page.svg(), side.paint.name), side.x, y + 7, 9, 9).set("rx", 2);
  add_text(page.svg(), side.x + 15, y + 16, "strong", side.name);
  add_text(page.svg(), side.x + 70, y + 16, "mono", cut_start(side.file, kFileColumns));
  y += 20;
  for (const std::string& line : lines_of(side.facts, kHalfWidth - 15, kFactSize)) {
    add_text(page.svg(), side.x + 15, y + 14, "small muted", line);
    y += 16;
  }
  return y;
}

double draw_files(Page& page, double y, const ComparePicture& picture) {
  const Comparison& comparison = picture.comparison;
  const double before_end = draw_side(page, y,
                                      {kMargin, paint::kRemoved, "before", picture.before_file,
                                       side_facts_of(picture.before_facts, comparison.before)});
  const double after_end = draw_side(
      page, y,
      {kRightHalf, paint::kAdded, "after", picture.after_file, side_facts_of(picture.after_facts, comparison.after)});
  return std::max(before_end, after_end) + 6;
}

Figure change_figure(const char* name, std::uint64_t before, std::uint64_t after, const Paint* swatch = nullptr) {
  const auto delta = static_cast<std::int64_t>(after - before);
  return {.name = name,
          .value = delta == 0 ? "no change" : delta_text(delta),
          .value_class = delta > 0   ? "plus"
                         : delta < 0 ? "minus"
                                     : "muted",
          .note = fmt::format("{} → {}", format_bytes(before), format_bytes(after)),
          .swatch = before == 0 && after == 0 ? nullptr : swatch};
}

std::vector<Figure> figures(const DeviceStats& before, const DeviceStats& after) {
  std::vector<Figure> figures{
      change_figure("Reserved", before.reserved_bytes, after.reserved_bytes),
      change_figure("Allocated", before.allocated_bytes, after.allocated_bytes, &paint::kRequested),
      change_figure("Requested", before.requested_bytes, after.requested_bytes),
      change_figure("Rounding", before.rounding_bytes(), after.rounding_bytes(), &paint::kRounding),
      change_figure("Pending free", before.pending_free_bytes, after.pending_free_bytes, &paint::kPending),
      change_figure("Inactive (free)", before.inactive_bytes, after.inactive_bytes, &paint::kInactive),
  };
  if (before.unaccounted_bytes > 0 || after.unaccounted_bytes > 0)
    figures.push_back(
        change_figure("Unaccounted", before.unaccounted_bytes, after.unaccounted_bytes, &paint::kUnaccounted));
  return figures;
}

const std::vector<LegendEntry>& legend() {
  static const std::vector<LegendEntry> entries{
      {&paint::kAdded, "only after (+)"}, {&paint::kGrown, "grown (+)"},         {&paint::kSame, "no net change"},
      {&paint::kShrunk, "shrunk (−)"},    {&paint::kRemoved, "only before (−)"},
  };
  return entries;
}

RankedList ranked_list(const ComparePicture& picture, const std::vector<CodeOrigin>& origins, bool grown) {
  RankedList list;
  list.heading = grown ? "Grown most, by your own line of code" : "Shrunk most, by your own line of code";
  list.x = grown ? kMargin : kRightHalf;
  list.width = kHalfWidth;
  const Comparison& comparison = picture.comparison;
  std::size_t more = 0;
  std::int64_t more_bytes = 0;
  for (const UserLineChange& line : comparison.changes) {
    const std::int64_t delta = line.change.delta_bytes();
    if ((delta > 0) != grown || delta == 0) continue;
    if (list.rows.size() == kRankedRows) {
      ++more;
      more_bytes += delta;
      continue;
    }
    const Amount& before = line.change.before;
    const Amount& after = line.change.after;
    list.rows.push_back(
        {delta_text(delta), magnitude(delta), "", key_label(comparison.frames, line.key),
         before.bytes == 0  ? "new"
         : after.bytes == 0 ? "gone"
                            : "was " + format_bytes(before.bytes),
         fmt::format("{}\nbefore: {} bytes\nafter: {} bytes", key_heading(comparison.frames, origins, line.key),
                     format_count(before.bytes), format_count(after.bytes)),
         grown ? &paint::kAdded : &paint::kRemoved});
  }
  if (more > 0) list.rest = fmt::format("and {} with {} together", count_of(more, "more line"), delta_text(more_bytes));
  if (list.rows.empty()) list.rest = grown ? "No line grew." : "No line shrank.";
  return list;
}

std::string draw(const ComparePicture& picture, const SvgOptions& options, const std::vector<CodeOrigin>& origins,
                 const Layout<Change>& layout) {
  const Comparison& comparison = picture.comparison;
  const std::string headline = headline_of(comparison);
  Page page(options, "memviz compare: " + headline);
  double y = draw_headline(page, headline);
  if (const std::string answer = answer_of(comparison); !answer.empty()) y = draw_answer(page, y, answer);
  y = draw_files(page, y, picture) + 8;
  y = draw_figures(page, y, figures(comparison.before, comparison.after)) + 8;
  y = draw_bars(page, y,
                {{"before", bar_parts(comparison.before), use_text(comparison.before)},
                 {"after", bar_parts(comparison.after), use_text(comparison.after)}}) +
      8;
  if (layout.units > 0) {
    y = draw_legend(page, y, legend(), reading_hint(options, layout.is_squeezed));
    y = draw_graph(page, y, describe(comparison.frames, origins, comparison.tree, layout), options) + 20;
  } else {
    page.begin_below_graph();
    y = draw_notes(page, y, {"Nothing to draw: neither file has a segment."});
  }
  add_rule(page.below_graph(), y);
  const double grown_end = draw_ranked_list(page, y + 12, ranked_list(picture, origins, true));
  y = std::max(grown_end, draw_ranked_list(page, y + 12, ranked_list(picture, origins, false)));
  add_rule(page.below_graph(), y + 4);
  y = draw_segments(page, y + 16, comparison);
  write_segment_metadata(page, comparison);
  add_rule(page.below_graph(), y + 4);
  y = draw_warnings(page, y + 14, picture.warnings);
  y = draw_notes(page, y, notes_on(comparison));
  return page.finish(draw_signature(page, y, "drawn by memviz"));
}

} // namespace
} // namespace render

std::string compare_svg(const ComparePicture& picture, const SvgOptions& options) {
  const Comparison& comparison = picture.comparison;
  const std::vector<CodeOrigin> origins = render::origins_of(comparison.frames);
  return render::draw_within_budget(comparison.tree, origins, options, [&](const render::Layout<Change>& layout) {
    return render::draw(picture, options, origins, layout);
  });
}

} // namespace memviz
