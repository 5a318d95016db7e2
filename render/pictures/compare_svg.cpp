#include "memviz/compare_words.hpp"
#include "memviz/svg.hpp"

#include "graph/budget.hpp"
#include "graph/describe.hpp"
#include "graph/graph_view.hpp"
#include "page/bars.hpp"
#include "page/header.hpp"
#include "page/legend.hpp"
#include "page/narrow_head.hpp"
#include "page/notes.hpp"
#include "page/page.hpp"
#include "page/ranked_list.hpp"
#include "segments/segment_strips.hpp"

#include "base/saturating.hpp"
#include "memviz/compare.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/story.hpp"
#include "story/figures.hpp"
#include "story/picture_words.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {
namespace render {
namespace {

/// The maximum: more would push the graph off the first screen.
constexpr std::size_t kMostDevices = 4;

/// Draws the gauges of the devices that changed most.
double draw_gauges(Page& page, double y, const Comparison& comparison) {
  const std::vector<std::size_t> shown = devices_that_changed_most(comparison, kMostDevices);
  for (const std::size_t index : shown) {
    const DeviceReadings& device = comparison.readings[index];
    y = draw_figures(page, y, gauge_figures(device, comparison.readings.size() > 1));
  }
  if (shown.size() == comparison.readings.size()) return y;
  return draw_notes(page, y + 4, {more_devices_text(comparison.readings.size() - shown.size())});
}

/// Draws the compared moment: all devices together if they are at one moment, else the bars of each.
double draw_totals(Page& page, double y, const Comparison& comparison) {
  std::vector<Bar> bars;
  const auto add = [&](const std::string& owner, const DeviceFigures& before, const DeviceFigures& after) {
    bars.push_back({owner + "before", bar_parts(before), use_text(before)});
    bars.push_back({owner + "after", bar_parts(after), use_text(after)});
  };
  if (comparison.is_one_moment) {
    y = draw_figures(page, y, change_figures(comparison.before, comparison.after)) + 8;
    add("", comparison.before, comparison.after);
  } else {
    for (const std::size_t index : devices_that_changed_most(comparison, kMostDevices)) {
      const DeviceReadings& device = comparison.readings[index];
      add(device_heading(device) + " ", comparison.devices[index].before.figures,
          comparison.devices[index].after.figures);
    }
  }
  return draw_bars(page, y, bars);
}

constexpr double kHalfWidth = kContentWidth / 2 - 14;
constexpr double kRightHalf = kPageWidth / 2 + 14;

std::vector<std::string> with_counts(std::vector<std::string> facts, const DeviceFigures& figures) {
  const std::vector<std::string> counts = count_facts(figures);
  facts.insert(facts.end(), counts.begin(), counts.end());
  return facts;
}

double draw_files(Page& page, double y, const ComparePicture& picture) {
  constexpr std::size_t kFileColumns = 50;
  const Comparison& comparison = picture.comparison;
  y = draw_facts(page, y, "before  " + cut_start(picture.before_file, kFileColumns),
                 with_counts(picture.before_facts, comparison.before));
  return draw_facts(page, y - 2, "after   " + cut_start(picture.after_file, kFileColumns),
                    with_counts(picture.after_facts, comparison.after));
}

const std::vector<LegendEntry>& legend() {
  static const std::vector<LegendEntry> entries{
      {&paint::kAdded, "only after (+)"}, {&paint::kGrown, "grown (+)"},         {&paint::kSame, "no net change"},
      {&paint::kShrunk, "shrunk (−)"},    {&paint::kRemoved, "only before (−)"},
  };
  return entries;
}

RankedRow change_row(const Comparison& comparison, const std::vector<CodeOrigin>& origins, const ChangeRow& row) {
  const Amount& before = row.change.before;
  const Amount& after = row.change.after;
  const std::int64_t delta = row.change.delta_bytes();
  Label label = key_label(comparison.frames, row.key);
  label.name = row.device + label.name;
  return {.value = delta_text(delta),
          .bar_bytes = magnitude(delta),
          .share = "",
          .label = std::move(label),
          .note = before.bytes == 0  ? "new"
                  : after.bytes == 0 ? "gone"
                                     : "was " + format_bytes(before.bytes),
          .title = fmt::format("{}{}\nbefore: {} bytes\nafter: {} bytes", row.device,
                               key_heading(comparison.frames, origins, row.key), format_count(before.bytes),
                               format_count(after.bytes)),
          .paint = delta > 0 ? &paint::kAdded : &paint::kRemoved,
          .is_within = row.is_within};
}

RankedList ranked_list(const ComparePicture& picture, const std::vector<CodeOrigin>& origins, bool grown) {
  RankedList list;
  list.heading = fmt::format("{} most, by your own {}", grown ? "Grown" : "Shrunk",
                             picture.comparison.match == FrameMatch::line ? "line of code" : "function");
  list.x = grown ? kMargin : kRightHalf;
  list.width = kHalfWidth;
  const Comparison& comparison = picture.comparison;
  const ChangeTable largest = change_table(comparison, kRankedRows, grown);
  std::vector<NodeKey> keys;
  for (const ChangeRow& row : largest.rows) {
    const std::int64_t delta = row.change.delta_bytes();
    if (delta == 0 || (delta > 0) != grown) continue;
    keys.push_back(row.key);
    list.rows.push_back(change_row(comparison, origins, row));
  }
  const std::vector<Label> labels = key_labels(comparison.frames, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    list.rows[i].label.place = labels[i].place;
    list.rows[i].label.source = labels[i].source;
  }
  if (largest.left_out > 0)
    list.rest = fmt::format("and {} with {} together", format_counted(largest.left_out, "more line"),
                            delta_text(largest.left_out_bytes));
  if (list.rows.empty()) list.rest = no_change_text(grown);
  return list;
}

/// The root over devices that are at different moments is not a sum.
FlameGraph graph_of(const Comparison& comparison, const FrameWords& words, const Layout<Change>& layout) {
  FlameGraph graph = describe(words, comparison.tree, layout);
  if (comparison.is_one_moment) return graph;
  GraphBox& root = graph.boxes.front();
  root.label = {.name = "all devices, each at its own moment"};
  root.title = root.label.name;
  root.paint = &paint::kSame;
  return graph;
}

std::string draw(const ComparePicture& picture, const SvgOptions& options, const std::vector<CodeOrigin>& origins,
                 const Layout<Change>& layout) {
  const Comparison& comparison = picture.comparison;
  const Story story = compare_story(comparison);
  Page page(options, "memviz compare: " + story.headline);
  double y = draw_headline(page, story.headline);
  if (!story.answer.empty()) y = draw_answer(page, y, story.answer) + 6;
  page.set_details(true); // on a phone, after the graph
  y = draw_files(page, y, picture) + 8;
  y = draw_gauges(page, y, comparison) + 8;
  if (!story.caption.empty()) y = draw_notes(page, y, {story.caption});
  y = draw_totals(page, y, comparison) + 8;
  if (layout.units > 0) {
    y = draw_legend(page, y, legend(), reading_hint(options, layout.is_squeezed));
    page.set_details(false);
    draw_narrow_head(page, y, {.headline = story.headline, .answer = story.answer});
    const FramePaints paints(comparison.frames, origins);
    y = draw_graph(page, y, graph_of(comparison, {comparison.frames, origins, paints}, layout), options) + 20;
  } else {
    page.set_details(false);
    page.begin_below_graph();
    y = draw_notes(page, y, {std::string(kNoSegmentsToDraw)});
  }
  add_rule(page.below_graph(), y);
  const double grown_end = draw_ranked_list(page, y + 12, ranked_list(picture, origins, true));
  y = std::max(grown_end, draw_ranked_list(page, y + 12, ranked_list(picture, origins, false)));
  add_rule(page.below_graph(), y + 4);
  y = draw_segments(page, y + 16, comparison);
  write_segment_metadata(page, comparison);
  add_rule(page.below_graph(), y + 4);
  y = draw_warnings(page, y + 14, picture.warnings);
  y = draw_notes(page, y, picture.notes);
  y = draw_notes(page, y, story.notes);
  return page.finish(draw_signature(page, y));
}

} // namespace
} // namespace render

std::string compare_svg(const ComparePicture& picture, const SvgOptions& options) {
  const Comparison& comparison = picture.comparison;
  const std::vector<CodeOrigin> origins = render::origins_of(comparison.frames);
  return render::draw_within_budget(
      comparison.tree, comparison.frames, origins, options,
      [&](const render::Layout<Change>& layout) { return render::draw(picture, options, origins, layout); });
}

} // namespace memviz
