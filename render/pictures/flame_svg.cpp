#include "memviz/svg.hpp"

#include "graph/budget.hpp"
#include "graph/callers.hpp"
#include "graph/describe.hpp"
#include "graph/graph_view.hpp"
#include "page/bars.hpp"
#include "page/header.hpp"
#include "page/hues.hpp"
#include "page/kind_paints.hpp"
#include "page/leading_rows.hpp"
#include "page/legend.hpp"
#include "page/naming.hpp"
#include "page/narrow_head.hpp"
#include "page/notes.hpp"
#include "page/ranked_list.hpp"
#include "segments/board_drawing.hpp"
#include "segments/board_panel.hpp"
#include "segments/pins_list.hpp"

#include "memviz/keeper_table.hpp"
#include "memviz/label.hpp"
#include "memviz/story.hpp"
#include "memviz/warnings.hpp"
#include "story/figures.hpp"
#include "story/keeper_words.hpp"
#include "story/kind_words.hpp"
#include "story/picture_words.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace memviz {
namespace render {
namespace {

struct KeeperListOptions {
  std::uint64_t requested_bytes = 0; ///< the whole, of which rows have shares
  bool by_kind = false;              ///< whether colours are kinds of memory, as far as they are known
};

RankedList keeper_list(const FrameTable& frames, const KeeperLines& keepers, const KeeperListOptions& options) {
  std::vector<UserLine> lines;
  for (const KeeperLine& line : keepers.lines)
    lines.push_back({key_of(line, keepers.table), line.amount, line.kinds});
  const HolderTable table = holder_table(lines, options.requested_bytes,
                                         {.heading = "Who keeps it, by variable", .rest_noun = "keeper", .nothing = ""},
                                         {.most = kRankedRows, .omits_small = true});
  const auto kept = [&](std::size_t row) -> const KeptVariable& {
    return keepers.table.keepers[keepers.lines[row].keeper];
  };
  std::vector<Label> labels;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    labels.push_back(keeper_line_label(frames, kept(i)));
  const auto paint_of = [&](const HolderRow& row) -> const Paint& {
    const bool has_kind_colour = options.by_kind && !row.kinds.empty();
    return has_kind_colour ? kind_paint(row.kinds, row.amount.bytes) : key_paint({}, row.key);
  };
  RankedList list = holders_list(
      table,
      {labels, [&](std::size_t i) { return keeper_title(frames, keepers.table, keepers.lines[i].keeper); }, paint_of});
  for (std::size_t i = 0; i < list.rows.size(); ++i)
    list.rows[i].find = node_label(frames, kept(i).steps.back());
  return list;
}

std::vector<Bar> bars_of(const MemorySubject& subject) {
  std::vector<Bar> bars;
  for (const MemoryRow& row : memory_rows(subject))
    bars.push_back({row.name, bar_parts(row.totals), row.note, row.is_detail});
  return bars;
}

/// Returns the meanings of the colours in this graph, without the kinds explained by the legend of the bar by kind.
/// The words for boxes that are steps of a keeper's path.
std::vector<LegendEntry> keeper_legend() {
  return {{&paint::kGroup, "functions, modules, allocator"},
          {&paint::kUser, "variables and what they hold"},
          {&paint::kTorch, "saved by autograd's graph"},
          {&paint::kLibrary, "no variable: cycles, temporaries"},
          {&paint::kNoStack, "no Python object"},
          {&paint::kFree, "free"},
          {&paint::kRounding, "rounding"},
          {&paint::kUnaccounted, "covered by no block"},
          {&paint::kSmaller, "merged small boxes"}};
}

std::vector<LegendEntry> origin_legend() {
  return {
      {&paint::kUser, "your code"},
      {&paint::kTorch, "torch"},
      {&paint::kLibrary, "other Python"},
      {&paint::kCpp, "C++"},
      {&paint::kOtherCode, "other code"},
      {&paint::kGroup, "allocator"},
      {&paint::kFree, "free"},
      {&paint::kRounding, "rounding"},
      {&paint::kUnaccounted, "covered by no block"},
      {&paint::kNoStack, "no stack"},
      {&paint::kSmaller, "merged small boxes"},
  };
}

std::vector<LegendEntry> legend(const FlameGraph& graph, const KindFigures& kinds_above) {
  std::vector<LegendEntry> entries = graph.has_keepers ? keeper_legend() : origin_legend();
  if (graph.has_kind_colours) {
    std::vector<LegendEntry> kinds = kind_legend();
    std::erase_if(kinds, [&](const LegendEntry& entry) {
      return std::ranges::any_of(kinds_above.figures, [&](const KindFigure& figure) {
        return kind_paint(figure.kind).name == entry.paint->name;
      });
    });
    entries.insert(entries.begin(), kinds.begin(), kinds.end());
  }
  std::erase_if(entries, [&](const LegendEntry& entry) {
    return std::ranges::none_of(graph.boxes, [&](const GraphBox& box) { return box.paint->name == entry.paint->name; });
  });
  return entries;
}

RankedList users_list(const FlamePicture& picture, const FrameWords& words, ColorBy color) {
  const std::vector<UserLine>& users = picture.subject.shown_users();
  const DeviceState* const leading = leading_device(picture.subject.devices);
  const HolderTable table =
      holder_table(users, shown_figures(picture.subject.devices).requested_bytes,
                   {.heading = fmt::format("Largest users{}{}, by your own line of code",
                                           leading == nullptr ? "" : " of " + device_name(*leading),
                                           picture.subject.focused ? " in focus" : ""),
                    .nothing = picture.subject.focused ? kNothingInFocus : kNothingInUse},
                   {.most = kRankedRows, .omits_small = true});
  const auto paint_of = [&](const HolderRow& row) -> const Paint& {
    const bool has_kinds = color == ColorBy::kind && !row.kinds.empty();
    return has_kinds ? kind_paint(row.kinds, row.amount.bytes) : words.paints.of(row.key);
  };
  RankedList list = holders_list(
      table, {line_labels(words.frames, keys_of(table)),
              [&](std::size_t i) { return line_title(words.frames, words.origins, table.rows[i]); }, paint_of});
  const std::vector<std::string> callers = callers_of(users, kRankedRows, words.frames, words.origins, picture.tree);
  auto caller = callers.begin();
  for (RankedRow& row : list.rows)
    if (!row.is_within) row.via = *caller++;
  return list;
}

/// Returns the words for the whole width, after "reserved".
std::string root_place(const FlamePicture& picture) {
  std::string place;
  if (leading_device(picture.subject.devices) != nullptr)
    place = fmt::format("of {}{}", devices_text(picture.subject.devices),
                        are_at_end(picture.subject.devices) ? "" : ", each at its own moment");
  const auto has_outside = [](const DeviceState& device_state) { return device_state.figures.outside_bytes > 0; };
  if (std::ranges::any_of(picture.subject.devices, has_outside))
    place += fmt::format("{}and outside all segments", place.empty() ? "" : ", ");
  return place;
}

double draw_footer(Page& page, double y, const Story& story, const std::vector<std::string>& warnings) {
  add_rule(page.below_graph(), y + 4);
  y = draw_warnings(page, y + 14, warnings);
  y = draw_notes(page, y, story.notes);
  // An account that begins with an estimate gets no tick.
  for (const Account& account : story.accounts)
    y = account.balances && !account.is_whole ? draw_notes(page, y, {account.text})
                                              : draw_verdict(page, y, account.balances, account.text);
  return draw_signature(page, y);
}

std::string colours_hint(const FrameWords& words, const SvgOptions& options, bool is_squeezed) {
  const std::string hint = reading_hint(options, is_squeezed);
  if (options.color == ColorBy::kind) return "colour = kind of memory; " + hint;
  return words.paints.has_hues() ? "colour = line of your code; " + hint : hint;
}

bool has_kind_colours(const FlamePicture& picture, const SvgOptions& options) {
  const auto is_known = [](const UserLine& user) { return has_known_kind(user.kinds); };
  return options.color == ColorBy::kind || std::ranges::any_of(picture.subject.users, is_known);
}

/// Draws requested memory by kind, if any kind is known.
double draw_kinds(Page& page, double y, const MemorySubject& subject) {
  const KindFigures kinds = kind_figures(subject);
  if (kinds.figures.empty()) return y;
  Bar bar{.name = kinds.name, .parts = {}, .note = "", .is_detail = true};
  std::vector<LegendEntry> entries;
  for (const KindFigure& figure : kinds.figures) {
    bar.parts.push_back({&kind_paint(figure.kind), std::string(kind_label(figure.kind)), figure.amount.bytes});
    entries.push_back({&kind_paint(figure.kind), figure.text});
  }
  // A bar with a different scale is separated from those above.
  y = draw_bars(page, y + 8, {bar});
  return draw_legend(page, y - 2, entries, "");
}

/// Draws the segments below the graph, in its colours.
class Segments {
public:
  Segments(const FlamePicture& picture, const SvgOptions& options, const FrameWords& words)
      : picture_(picture), words_(words), pins_(find_pins(picture.subject.state, {.device = picture.device})),
        colouring_(colouring_for(picture.subject.state, words.origins, picture.device,
                                 {options.color == ColorBy::kind ? ColorBy::kind : ColorBy::origin})) {
    if (words.paints.are_lines()) paint_lines(rank_user_lines(picture.subject.state, picture.device));
    fit(options);
  }

  /// Whether a graph of them is a mosaic, which the lists precede.
  [[nodiscard]] bool are_many() const {
    constexpr std::size_t kMany = 100;
    return picture_.subject.state.segments_of(picture_.device).size() > kMany;
  }

  /// Draws the lines that keep mostly empty segments from being returned.
  [[nodiscard]] double draw_pins(Page& page, double y) const {
    /// Lines that pin less than this share of reserved memory are not listed: 1/1000.
    constexpr std::uint64_t kWorthAList = 1000;
    if (pins_.held_bytes <= reserved_bytes() / kWorthAList) return y;
    add_rule(page.below_graph(), y);
    return draw_ranked_list(page, y + 14, pins_list(pins_, words_.frames, words_.origins, words_.paints)) + 4;
  }

  [[nodiscard]] double draw(Page& page, double y, const SvgOptions& options) const {
    define_board_styles(page);
    const BoardPanel panel{picture_.subject.state, words_.origins, colouring_, pins_, picture_.device, true};
    return draw_board_panel(page, y, panel, options, detail_);
  }

private:
  /// `lines`: the lines of the classes.
  void paint_lines(const std::vector<UserLine>& lines) {
    for (std::size_t i = 0; i < lines.size(); ++i)
      colouring_.classes[i].paint = &words_.paints.of(lines[i].key);
  }

  [[nodiscard]] std::uint64_t reserved_bytes() const {
    std::uint64_t bytes = 0;
    for (const Segment& segment : picture_.subject.state.segments_of(picture_.device))
      bytes += segment.total_bytes;
    return bytes;
  }

  /// Leaves half of the picture to the graph.
  void fit(const SvgOptions& options) {
    for (;; detail_ = coarser(detail_, reserved_bytes())) {
      Page page(options, "");
      if (page.finish(draw(page, draw_pins(page, 0), options)).size() <= options.max_bytes / 2 ||
          detail_.most_segments <= 1)
        return;
    }
  }

  const FlamePicture& picture_;
  const FrameWords& words_;
  Pins pins_;
  Colouring colouring_;
  BoardDetail detail_;
};

std::string draw(const FlamePicture& picture, const SvgOptions& options, const FrameWords& words,
                 const std::optional<Segments>& segments, const Layout<Amount>& layout) {
  const FrameTable& frames = picture.subject.state.frames();
  Story story = flame_story(picture.subject);
  if (!picture.keeper.empty()) story.answer = picture.keeper;
  const std::uint64_t requested_bytes = sum_of(picture.subject.devices).requested_bytes;
  // Comes first, because nothing below mentions what is omitted.
  if (std::string filters = filters_text(picture.tree, requested_bytes, picture.filters); !filters.empty())
    story.facts.insert(story.facts.begin(), std::move(filters));
  Page page(options, fmt::format("{}: {}. {}", picture.file, story.headline, story.answer));
  if (words.paints.are_lines())
    page.svg().child("style").cdata(paints_css(hues()) + paints_css({&paint::kOtherCode, 1}));
  if (has_kind_colours(picture, options)) page.svg().child("style").cdata(paints_css(kind_paints()));
  double y = draw_headline(page, story.headline);
  if (!story.answer.empty()) y = draw_answer(page, y, story.answer);
  if (layout.units > 0) {
    const ColorBy color = options.color.value_or(ColorBy::origin);
    const RankedList users = picture.keepers.lines.empty()
                                 ? users_list(picture, words, color)
                                 : keeper_list(frames, picture.keepers,
                                               {.requested_bytes = requested_bytes, .by_kind = color == ColorBy::kind});
    y = draw_leading_rows(page, y + 4, users);
    page.set_details(true);
    y = draw_facts(page, y, picture.file, story.facts, story.alert) + 10;
    FlameGraph graph = describe(words, picture.tree, layout, {picture.kinds, options.color == ColorBy::kind});
    graph.boxes.front().label.place = root_place(picture);
    y = draw_figures(page, y, memory_figures(picture.subject.devices)) + 8;
    y = draw_bars(page, y, bars_of(picture.subject));
    y = draw_kinds(page, y, picture.subject) + 10;
    draw_narrow_head(page, y, {.headline = story.headline, .answer = story.answer, .users = &users});
    const bool lists_come_first = segments && segments->are_many();
    const auto draw_lists = [&] {
      add_rule(page.below_graph(), y);
      y = draw_ranked_list(page, y + 14, users);
      if (segments) y = segments->draw_pins(page, y + 4);
    };
    if (lists_come_first) {
      page.set_details(false);
      draw_lists();
      page.set_details(true);
      y += 8;
    }
    y = draw_legend(page, y, legend(graph, kind_figures(picture.subject)),
                    colours_hint(words, options, layout.is_squeezed));
    page.set_details(false);
    y = draw_graph(page, y, graph, options) + 22;
    if (!lists_come_first) draw_lists();
    if (segments) y = segments->draw(page, y, options);
  } else {
    y = draw_facts(page, y, picture.file, story.facts, story.alert) + 10;
    page.begin_below_graph();
    y = draw_notes(page, y + 8, {std::string(kNoSegmentToDraw)});
  }
  if (options.color == ColorBy::kind && layout.units > 0 && kind_figures(picture.subject).figures.empty() &&
      hardly_known_note(picture.subject).empty())
    story.notes.push_back(no_kinds_note());
  return page.finish(draw_footer(page, y, story, warnings_and_losses(picture.subject.state)));
}

FramePaints frame_paints(const FlamePicture& picture, const SvgOptions& options,
                         const std::vector<CodeOrigin>& origins) {
  const FrameTable& frames = picture.subject.state.frames();
  if (options.color != ColorBy::line) return {frames, origins};
  if (options.hued_lines.empty()) return {frames, origins, picture.subject.users};
  return {frames, origins, LineHues(frames, options.hued_lines)};
}

} // namespace
} // namespace render

std::string flame_svg(const FlamePicture& picture, const SvgOptions& options) {
  const std::vector<CodeOrigin> origins = render::origins_of(picture.subject.state.frames());
  const FrameTable& frames = picture.subject.state.frames();
  const render::FramePaints paints = render::frame_paints(picture, options, origins);
  const KeeperTable* const keepers = picture.keepers.lines.empty() ? nullptr : &picture.keepers.table;
  const render::FrameWords words{.frames = frames, .origins = origins, .paints = paints, .keepers = keepers};
  std::optional<render::Segments> segments;
  if (picture.has_segments) segments.emplace(picture, options, words);
  return render::draw_within_budget(picture.tree, frames, origins, options, [&](const render::Layout<Amount>& layout) {
    return render::draw(picture, options, words, segments, layout);
  });
}

} // namespace memviz
