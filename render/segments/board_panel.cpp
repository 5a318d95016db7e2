#include "segments/board_panel.hpp"

#include "page/header.hpp"
#include "page/legend.hpp"
#include "page/naming.hpp"
#include "page/notes.hpp"
#include "segments/board_data.hpp"
#include "segments/board_drawing.hpp"
#include "web/embedded.hpp"

#include "memviz/format.hpp"
#include "story/picture_words.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace memviz::render {
namespace {

constexpr double kControlsHeight = 28;

/// Drawn over the colour of a block.
constexpr Paint kWaiting{"waiting", "", "", "", ""};

/// Returns the legend of the parts of the board that are not classes of blocks.
std::vector<LegendEntry> legend_of(const BoardPanel& panel, const Board& board) {
  std::vector<LegendEntry> entries{{&paint::kFree, "free"}};
  const auto is_used = [&](const Paint& paint) {
    const auto has_it = [&](const BlockClass& entry) { return entry.paint->name == paint.name; };
    return std::ranges::any_of(panel.colouring.classes, has_it) || std::ranges::any_of(panel.colouring.lines, has_it);
  };
  for (const LegendEntry& kind : kind_legend())
    if (is_used(*kind.paint)) entries.push_back(kind);
  for (const CodeOrigin origin : kOrigins)
    if (is_used(render::paint_of(origin)))
      entries.push_back({&render::paint_of(origin), std::string(origin_name(origin))});
  const bool by_keeper = panel.colouring.is_by_keeper;
  if (is_used(paint::kNoStack))
    entries.push_back({&paint::kNoStack, by_keeper ? "no Python object refers to it" : "in use, without a stack"});
  if (is_used(paint::kLesserLines))
    entries.push_back(
        {&paint::kLesserLines, by_keeper ? "freed before the end, or below the largest" : "lines below the largest"});
  const auto is_pending = [](const Block& block) { return block.state == BlockState::active_pending_free; };
  if (std::ranges::any_of(panel.state.blocks, is_pending)) entries.push_back({&kWaiting, "hatched: waits to be freed"});
  for (const Paint* const paint : {&paint::kPrivatePool, &paint::kOtherStream}) {
    const auto is_such = [&](const BoardPlace& place) { return place_paint(place) == paint; };
    if (std::ranges::any_of(board.places, is_such))
      entries.push_back({paint, paint == &paint::kPrivatePool ? "private pool" : "side stream"});
  }
  return entries;
}

std::string left_out_text(const Board& board) {
  return fmt::format("and {} with {} together", format_counted(board.left_out_segments, "more segment"),
                     format_bytes(board.left_out_bytes));
}

} // namespace

RankedList class_list(const Colouring& colouring, std::uint64_t requested_bytes) {
  RankedList list;
  list.heading = colouring.heading;
  for (const BlockClass& entry : colouring.listed()) {
    if (list.rows.size() == kRankedRows) break;
    list.rows.push_back({.value = format_bytes(entry.amount.bytes),
                         .bar_bytes = entry.amount.bytes,
                         .share = format_percent(entry.amount.bytes, requested_bytes),
                         .label = entry.label,
                         .note = format_counted(entry.amount.blocks, "block"),
                         .title = entry.title,
                         .paint = entry.paint,
                         .kinds = entry.kinds});
  }
  Amount rest;
  for (std::size_t i = list.rows.size(); i < colouring.listed().size(); ++i)
    rest += {colouring.listed()[i].amount.bytes, 1};
  if (rest.blocks > 0)
    list.rest =
        fmt::format("and {} with {}", format_counted(rest.blocks, colouring.is_by_keeper ? "more keeper" : "more line"),
                    format_bytes(rest.bytes));
  if (colouring.listed().empty()) list.rest = kNothingInUse;
  return list;
}

BoardDetail coarser(BoardDetail detail, std::uint64_t reserved_bytes) {
  constexpr std::uint64_t kFirstShare = 1U << 20U;
  constexpr std::uint64_t kLastShare = 1U << 10U;
  const std::uint64_t last_bytes = std::max<std::uint64_t>(reserved_bytes / kLastShare, 512);
  if (detail.least_bytes < last_bytes) {
    detail.least_bytes = std::max({detail.least_bytes * 4, reserved_bytes / kFirstShare, std::uint64_t{512}});
    detail.most_frames = std::max<std::size_t>(detail.most_frames / 2, 8);
  } else {
    detail.most_segments /= 2;
  }
  return detail;
}

double draw_board_panel(Page& page, double y, const BoardPanel& panel, const SvgOptions& options,
                        const BoardDetail& detail) {
  const Board board = board_of(panel.state, panel.colouring,
                               {.device = panel.device,
                                .pins = panel.pins,
                                .most_cells = detail.most_segments,
                                .least_bytes = detail.least_bytes});
  if (board.places.empty()) return y;
  add_rule(page.below_graph(), y);
  y = draw_heading(page, y + 12, "Segments, to scale", pins_text(panel.pins));
  const BoardLayout layout = lay_out(panel.state, board, kContentWidth);
  const auto bytes_per_pixel = static_cast<std::uint64_t>(std::llround(layout.bytes_per_pixel));
  y = draw_legend(page, y, legend_of(panel, board), fmt::format("a pixel is {}", format_bytes(bytes_per_pixel)),
                  "board-scale") +
      4;
  if (!panel.has_graph && options.scripts) {
    XmlElement controls = page.add_section(y, "controls").set("id", "controls");
    add_text(controls, kMargin, y + 14, "muted static-only browser-only", kOpenSegmentsInBrowser);
    y += kControlsHeight;
  }
  XmlElement drawing = page.add_section(y, "board").child("g").set("id", "board").set("data-y", y);
  drawing.set("data-height", layout.height).set("transform", fmt::format("translate({} {})", px(kMargin), px(y)));
  draw_board(drawing, panel.state, panel.colouring, layout);
  page.use_script(panel.has_graph ? kSegmentsScript : kStateScript);
  if (options.scripts)
    write_board_data(page.svg(), {panel.state, panel.origins, panel.colouring, detail.most_frames, options.max_bytes},
                     board);
  y += layout.height;
  if (board.left_out_segments == 0) return y;
  return draw_notes(page, y, {left_out_text(board)}) + 6;
}

} // namespace memviz::render
