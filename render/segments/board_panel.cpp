#include "segments/board_panel.hpp"

#include "page/header.hpp"
#include "page/legend.hpp"
#include "page/naming.hpp"
#include "page/notes.hpp"
#include "page/text_fit.hpp"
#include "segments/board_drawing.hpp"
#include "segments/segment_panel.hpp"

#include "memviz/format.hpp"

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

/// What of the board is no class of blocks.
std::vector<LegendEntry> legend_of(const BoardPanel& panel) {
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
  if (is_used(paint::kNoStack)) entries.push_back({&paint::kNoStack, "in use, without a stack"});
  if (is_used(paint::kLesserLines)) entries.push_back({&paint::kLesserLines, "lines below the largest"});
  const auto is_pending = [](const Block& block) { return block.state == BlockState::active_pending_free; };
  if (std::any_of(panel.state.blocks.begin(), panel.state.blocks.end(), is_pending))
    entries.push_back({&kWaiting, "hatched: waits to be freed"});
  for (const Paint* const paint : {&paint::kPrivatePool, &paint::kOtherStream}) {
    const auto is_such = [&](const BoardPlace& place) { return place_paint(place) == paint; };
    if (std::any_of(panel.board.places.begin(), panel.board.places.end(), is_such))
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
    list.rest = fmt::format("and {} with {}", format_counted(rest.blocks, "more line"), format_bytes(rest.bytes));
  if (colouring.listed().empty()) list.rest = "Nothing is in use.";
  return list;
}

double draw_board_panel(Page& page, double y, const BoardPanel& panel) {
  if (panel.board.places.empty()) return y;
  add_rule(page.below_graph(), y);
  y = draw_heading(page, y + 12, "Segments, to scale", pins_text(panel.pins));
  const BoardLayout layout = lay_out(panel.state, panel.board, kContentWidth);
  const auto bytes_per_pixel = static_cast<std::uint64_t>(std::llround(layout.bytes_per_pixel));
  y = draw_legend(page, y, legend_of(panel), fmt::format("a pixel is {}", format_bytes(bytes_per_pixel))) + 4;
  if (panel.has_script) {
    XmlElement controls = page.add_section(y, "controls").set("id", "controls");
    add_text(controls, kMargin, y + 14, "muted static-only browser-only",
             "Open this file in a browser to point at blocks, zoom and search.");
    y += kControlsHeight;
  }
  XmlElement board = page.add_section(y, "board").child("g").set("id", "board").set("data-y", y);
  board.set("data-height", layout.height).set("transform", fmt::format("translate({} {})", px(kMargin), px(y)));
  draw_board(board, panel.state, panel.colouring, layout);
  y += layout.height;
  if (panel.board.left_out_segments == 0) return y;
  return draw_notes(page, y, {left_out_text(panel.board)}) + 6;
}

} // namespace memviz::render
