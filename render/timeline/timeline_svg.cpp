#include "memviz/timeline_svg.hpp"

#include "page/header.hpp"
#include "page/kind_paints.hpp"
#include "page/leading_rows.hpp"
#include "page/legend.hpp"
#include "page/narrow_head.hpp"
#include "page/notes.hpp"
#include "page/text_fit.hpp"
#include "timeline/timeline_charts.hpp"
#include "timeline/timeline_data.hpp"
#include "timeline/timeline_figures.hpp"
#include "timeline/timeline_marks.hpp"
#include "timeline/timeline_panel.hpp"
#include "web/embedded.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/warnings.hpp"
#include "story/figures.hpp"
#include "story/kind_words.hpp"
#include "story/picture_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

namespace memviz {
namespace render {
namespace {

bool is_seen(const TimelineShape& shape) {
  return std::ranges::any_of(shape.steps, [](const ShapeStep& step) { return step.top < step.bottom; });
}

bool is_freed(const NodeKey& line) {
  const auto* const step = std::get_if<KeeperStep>(&line);
  return step != nullptr && step->part == KeeperPart::freed;
}

bool is_other(const NodeKey& line) {
  return std::holds_alternative<RootKey>(line) || is_freed(line);
}

/// Whether the line is why memory has no stack, or no keeper.
bool is_unknown(const NodeKey& line) {
  return !has_hue(line) && !is_other(line) && !std::holds_alternative<MemoryKind>(line);
}

std::vector<LegendEntry> legend(const std::vector<Chart>& charts, const std::vector<PanelLayout>& layouts,
                                const LifeLines& lines, bool by_keeper) {
  bool has_unknown = false;
  bool has_others = false;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    for (std::size_t strip = 0; strip < charts[i].strips.size(); ++strip) {
      if (!is_seen(layouts[i].shapes.strips[strip])) continue;
      const NodeKey& line = charts[i].strips[strip].key;
      has_unknown = has_unknown || is_unknown(line);
      has_others = has_others || is_other(line);
    }
    for (const Band& band : charts[i].bands.bands) {
      const NodeKey line = lines.line_of(charts[i].device.record.device, band.life);
      has_unknown = has_unknown || is_unknown(line);
      has_others = has_others || is_other(line);
    }
  }
  std::vector<LegendEntry> entries;
  if (has_unknown) entries.push_back({&paint::kNoStack, by_keeper ? "no Python object" : "no stack"});
  if (has_others)
    entries.push_back({&paint::kOtherLines, by_keeper ? "freed before the end, and other keepers" : "other lines"});
  return entries;
}

/// Returns the lines that have a colour: those at the head of the picture, then those with an area that is worth
/// naming.
std::vector<LegendEntry> largest_lines(const std::vector<DrawnStack>& stacks, const LifeLines& lines,
                                       const LineNames& names) {
  constexpr double kLeastShare = 0.01; // of everything drawn
  double all = 0;
  for (const DrawnStack& drawn : stacks)
    all += area_of(drawn.shapes.live);
  std::vector<NodeKey> shown;
  const std::vector<UserLine>& holders = stacks.front().chart.listed();
  for (std::size_t i = 0; i < std::min(holders.size(), kLeadingRows); ++i)
    shown.push_back(holders[i].key);
  for (const auto& [line, area] : lines_by_area(stacks, lines)) {
    if (area < kLeastShare * all) break;
    if (std::ranges::find(shown, line) == shown.end()) shown.push_back(line);
  }
  std::vector<LegendEntry> entries;
  for (const NodeKey& line : shown) {
    if (!has_hue(line)) continue;
    const LineName& name = names.of(line);
    if (name.paint != &paint::kOtherLines) entries.push_back({name.paint, cut_end(name.text, 48)});
  }
  return entries;
}

/// Pairs each chart with its shapes.
std::vector<DrawnStack> drawn_stacks(const std::vector<Chart>& charts, const std::vector<PanelLayout>& layouts) {
  std::vector<DrawnStack> stacks;
  for (std::size_t i = 0; i < charts.size(); ++i)
    stacks.push_back({charts[i], layouts[i].shapes});
  return stacks;
}

/// Returns the kinds that are visible in any chart, from the bottom up, with their bytes at the main chart's peak.
std::vector<LegendEntry> kind_entries(const std::vector<PanelLayout>& layouts, const TimelineSubject& subject) {
  const std::vector<KindFigure> figures = kind_figures(held_kinds(subject.holders));
  std::vector<LegendEntry> entries;
  for (std::size_t layer = 0; layer < kKindLayers.size(); ++layer) {
    const MemoryKind kind = kKindLayers.at(layer);
    const auto is_here = [&](const PanelLayout& layout) { return is_seen(layout.shapes.layers[layer]); };
    const auto figure = std::ranges::find(figures, kind, &KindFigure::kind);
    if (figure != figures.end())
      entries.push_back({&kind_paint(kind), figure->text});
    else if (std::ranges::any_of(layouts, is_here))
      entries.push_back({&kind_paint(kind), fmt::format("{} 0 B", kind_label(kind))});
  }
  return entries;
}

std::string legend_hint(TimelineView view, ColorBy color, const TimelineSubject& subject) {
  const std::string_view overlay = view == TimelineView::segments ? "live" : "reserved";
  if (color == ColorBy::kind)
    return fmt::format("bytes at the peak{}; colour = kind of memory; blue line: {} bytes",
                       subject.names_device ? " of " + timeline_owner(subject) : "", overlay);
  const std::string_view meaning = color == ColorBy::keeper ? "variable that keeps it at the end"
                                   : color == ColorBy::line ? "line of code"
                                                            : "whose code";
  return fmt::format("colour = {}; blue line: {} bytes", meaning, overlay);
}

std::string reading_text(TimelineView view, ColorBy color) {
  if (view == TimelineView::segments)
    return "bytes reserved after each event; a band is one segment, or one mapped range";
  const std::string_view strips = color == ColorBy::kind ? "" : ", small ones are strips, one a line";
  return fmt::format("live requested bytes after each event; a band is one allocation{}", strips);
}

/// Draws the place of the script's controls; without the script, how to read the chart.
double draw_controls(Page& page, double y, const std::string& reading) {
  XmlElement controls = page.add_section(y, "controls").set("id", "controls");
  add_text(controls, kMargin, y + 17, "small muted static-only", fit_sans(reading, kContentWidth, 12));
  return y + 32;
}

class Timeline {
public:
  Timeline(const TimelinePicture& picture, const TimelineSvgOptions& options)
      : picture_(picture), options_(options), charts_(picture, options) {}

  [[nodiscard]] std::string draw_within_budget() {
    Detail detail = first_detail(options_);
    asked_bands_ = detail.bands;
    for (;;) {
      const auto svg = draw(detail);
      if (svg && svg->size() <= options_.max_bytes) return *svg;
      const double share = svg ? static_cast<double>(options_.max_bytes) / static_cast<double>(svg->size()) : 0.5;
      if (!detail.lower(share)) return svg.value_or("");
      is_lowered_ = true;
      if (detail.bands == 0) detail.most_steps = std::numeric_limits<std::size_t>::max();
    }
  }

private:
  [[nodiscard]] std::optional<std::string> draw(const Detail& detail) {
    charts_.make(detail);
    const std::vector<Chart>& charts = charts_.charts();
    if (charts.empty()) return draw_nothing();
    std::vector<PanelLayout> layouts;
    for (const Chart& chart : charts) {
      auto layout = lay_out_panel(chart, charts_.axis(), detail.most_steps);
      if (!layout) return std::nullopt;
      layouts.push_back(std::move(*layout));
    }
    const std::vector<DrawnStack> stacks = drawn_stacks(charts, layouts);
    return draw_charts(
        layouts, LineNames(picture_.state.frames(), charts_.lines(), stacks, {charts_.color(), options_.hued_lines}));
  }

  [[nodiscard]] std::string draw_nothing() {
    const std::string headline = "No memory and no events in this snapshot";
    Page page(SvgOptions{.scripts = options_.scripts}, "memviz: " + headline);
    page.svg().child("style").cdata(timeline_css(charts_.color()));
    const double y = draw_facts(page, draw_headline(page, headline), picture_.file, {}) + 8;
    page.begin_below_graph();
    return finish(page, draw_notes(page, y + 8, {std::string(kNoEventsToDraw)}));
  }

  [[nodiscard]] std::string draw_charts(const std::vector<PanelLayout>& layouts, const LineNames& names) {
    const std::vector<Chart>& charts = charts_.charts();
    const Chart& main = charts.front();
    const TimelineSubject subject = subject_of_chart(main);
    const Story story = timeline_story(subject);
    Page page(SvgOptions{.scripts = options_.scripts}, "memviz: " + story.headline);
    page.use_script(kTimelineScript);
    page.svg().child("style").cdata(timeline_css(charts_.color()));
    double y = draw_headline(page, story.headline);
    y = draw_answer(page, y, story.answer);
    const RankedList holders = ranked_peak(subject, main.listed(), names);
    y = draw_leading_rows(page, y + 4, holders);
    page.set_details(true);
    y = draw_facts(page, y, picture_.file, story.facts, story.alert) + 8;
    y = draw_figures(page, y, timeline_figures(subject)) + 8;
    page.set_details(false);
    y = draw_controls(page, y, reading_text(options_.view, charts_.color()));
    draw_narrow_head(page, y, {.headline = story.headline, .answer = story.answer, .users = &holders});
    StackTable stacks(picture_.state.frames());
    std::optional<BandKeepers> keeper_texts;
    if (charts_.keepers() != nullptr && options_.scripts)
      keeper_texts.emplace(picture_.state.frames(), *charts_.keepers());
    for (std::size_t i = 0; i < charts.size(); ++i) {
      if (i > 0) y = draw_heading_of(page, y, i);
      y = draw_panel(page, y,
                     {.frames = picture_.state.frames(),
                      .chart = charts[i],
                      .layout = layouts[i],
                      .names = names,
                      .stacks = stacks,
                      .keepers = keeper_texts ? &*keeper_texts : nullptr,
                      .axis = charts_.axis(),
                      .axis_words = axis_words(charts[i])});
      if (i == 0)
        y = draw_legend(page, y + 4, legend_entries(layouts, names),
                        legend_hint(options_.view, charts_.color(), subject));
    }
    if (options_.scripts) stacks.write(page.svg());
    if (keeper_texts) keeper_texts->write(page.svg());
    page.begin_below_graph();
    y += 16;
    add_rule(page.below_graph(), y);
    y = draw_ranked_list(page, y + 12, holders);
    if (!main.steps.steps.empty()) y = draw_ranked_list(page, y + 4, steps_list());
    return finish(page, y);
  }

  /// The headline of a chart below the main one; for a closed chart, a click on it opens the chart.
  double draw_heading_of(Page& page, double y, std::size_t i) const {
    const Chart& chart = charts_.charts()[i];
    const std::string headline = timeline_story(subject_of_chart(chart)).headline;
    if (!chart.is_closed) return draw_heading(page, y + 10, headline) + 2;
    constexpr double kIndent = 16;
    constexpr double kLineHeight = 18;
    XmlElement section = page.add_section(y, "words").set("class", "opener");
    section.child("path")
        .set("class", "snapshot-mark")
        .set("d", fmt::format("M{} {}l7 5-7 5z", px(kMargin), px(y + 4)));
    const Paragraph paragraph{.css_class = "small strong",
                              .font_size = 12,
                              .line_height = kLineHeight,
                              .width = kContentWidth - kIndent,
                              .indent = kIndent,
                              .font = Font::bold};
    return draw_paragraph(section, y + 13, paragraph, headline) - 9;
  }

  [[nodiscard]] RankedList steps_list() const {
    const TimelineSteps& steps = charts_.charts().front().steps;
    RankedList list;
    list.heading = fmt::format("Steps, by the annotation {}: peak and growth", cut_end(steps.name, 60));
    // The latest ones, because growth shows there.
    const std::size_t first = steps.steps.size() - std::min(kRankedRows, steps.steps.size());
    for (std::size_t i = first; i < steps.steps.size(); ++i) {
      const TimelineStep& step = steps.steps[i];
      list.rows.push_back({.value = format_bytes(step.peak_bytes),
                           .bar_bytes = step.peak_bytes,
                           .share = {},
                           .label = {.name = fmt::format("step {}, from event {}", format_count(step.number),
                                                         format_count(step.begin - 1))},
                           .note = delta_text(step.growth_bytes),
                           .title = step_text(step),
                           .paint = &paint::kGroup});
    }
    if (first > 0) list.rest = format_counted(first, "earlier step");
    return list;
  }

  /// Includes the origins of the drawn lines, if these are their colours.
  [[nodiscard]] std::vector<LegendEntry> legend_entries(const std::vector<PanelLayout>& layouts,
                                                        const LineNames& names) const {
    if (charts_.color() == ColorBy::kind) return kind_entries(layouts, subject_of_chart(charts_.charts().front()));
    std::vector<LegendEntry> entries;
    if (charts_.color() == ColorBy::line || charts_.color() == ColorBy::keeper)
      entries = largest_lines(drawn_stacks(charts_.charts(), layouts), charts_.lines(), names);
    if (charts_.color() == ColorBy::origin)
      for (const CodeOrigin origin : kOrigins)
        if (names.has_paint(paint_of(origin))) entries.push_back({&paint_of(origin), std::string(origin_name(origin))});
    for (LegendEntry& entry : legend(charts_.charts(), layouts, charts_.lines(), charts_.color() == ColorBy::keeper))
      entries.push_back(std::move(entry));
    return entries;
  }

  [[nodiscard]] TimelineSubject subject_of_chart(const Chart& chart) const {
    return subject_of(picture_, chart, charts_.charts().size() == 1);
  }

  /// Returns the unit of the axis: its own events, or a clock common to all.
  [[nodiscard]] std::string axis_words(const Chart& chart) const {
    const bool is_only_device = picture_.devices.size() == 1 || charts_.charts().size() == 1;
    if (charts_.axis() == TimelineAxis::time)
      return is_only_device ? "time since the first event" : "time since the first event of all";
    return is_only_device ? "events" : "events of " + device_name(chart.device_state);
  }

  [[nodiscard]] std::string finish(Page& page, double y) {
    add_rule(page.below_graph(), y + 4);
    y = draw_warnings(page, y + 14, warnings_and_losses(picture_.state));
    y = draw_notes(page, y, notes());
    y = draw_signature(page, y);
    return page.finish(y);
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes;
    if (is_lowered_) notes.push_back(fewer_bands_text(asked_bands_, options_.max_bytes));
    const std::vector<Chart>& charts = charts_.charts();
    for (const Chart& chart : charts) {
      const std::vector<std::string> more = timeline_story(subject_of_chart(chart)).notes;
      notes.insert(notes.end(), more.begin(), more.end());
    }
    if (std::string shared = shared_text(); !shared.empty()) notes.push_back(std::move(shared));
    if (guesses_pools()) notes.emplace_back(kPoolsWithoutNames);
    if (lacks_kinds()) notes.push_back(no_kinds_note());
    if (const std::string left_out = left_out_text(); !left_out.empty())
      notes.push_back("Not drawn: " + left_out + ".");
    return notes;
  }

  [[nodiscard]] bool guesses_pools() const {
    const auto is_unknown = [](const Home& home) { return !home.pool; };
    return options_.view == TimelineView::pools && std::ranges::any_of(picture_.devices, [&](const auto& device) {
             return std::ranges::any_of(device.record.homes, is_unknown);
           });
  }

  [[nodiscard]] bool lacks_kinds() const {
    const auto has_known = [](const Strip& strip) {
      const auto* kind = std::get_if<MemoryKind>(&strip.key);
      return kind != nullptr && *kind != MemoryKind::unknown;
    };
    return charts_.color() == ColorBy::kind && std::ranges::none_of(charts_.charts(), [&](const Chart& chart) {
             return std::ranges::any_of(chart.strips, has_known);
           });
  }

  [[nodiscard]] std::string shared_text() const {
    const auto open = static_cast<std::size_t>(std::ranges::count(charts_.charts(), false, &Chart::is_closed));
    return scales_text(charts_.charts().size(), open, charts_.axis() == TimelineAxis::time);
  }

  /// The devices without a chart.
  [[nodiscard]] std::string left_out_text() const {
    std::vector<std::string> texts;
    std::size_t more = 0;
    for (const DeviceState& device_state : picture_.state.devices) {
      const auto is_it = [&](const auto& other) { return other.device.record.device == device_state.device; };
      const auto is_asked = [&](const TimelineDevice& device) { return device.record.device == device_state.device; };
      if (std::ranges::any_of(charts_.charts(), is_it)) continue;
      if (std::ranges::none_of(picture_.devices, is_asked)) continue;
      if (texts.size() == 8) {
        ++more;
        continue;
      }
      texts.push_back(fmt::format("{} (peak {}, {})", device_heading(device_state),
                                  format_bytes(device_state.figures.peak_requested_bytes),
                                  format_counted(device_state.figures.events, "event")));
    }
    if (more > 0) texts.push_back(format_counted(more, "more device"));
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  const TimelinePicture& picture_;
  const TimelineSvgOptions& options_;
  Charts charts_;
  std::size_t asked_bands_ = 0;
  bool is_lowered_ = false;
};

} // namespace
} // namespace render

std::string timeline_svg(const TimelinePicture& picture, const TimelineSvgOptions& options) {
  return render::Timeline(picture, options).draw_within_budget();
}

} // namespace memviz
