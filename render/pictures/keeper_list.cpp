#include "pictures/keeper_list.hpp"

#include "page/kind_paints.hpp"
#include "page/naming.hpp"

#include "memviz/format.hpp"
#include "memviz/keeper_words.hpp"
#include "memviz/kind_words.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>

namespace memviz::render {
namespace {

RankedRow row_of(const FrameTable& frames, const KeeperLines& keepers, const KeeperLine& line,
                 const KeeperListOptions& options) {
  const KeptVariable& kept = keepers.table.keepers[line.keeper];
  const KeeperStep& last = kept.steps.back();
  std::string title = keeper_title(frames, keepers.table, line.keeper);
  if (const std::string kinds = kinds_lines(line.kinds); !kinds.empty()) title += "\n" + kinds;
  const bool has_kind_colour = options.by_kind && !line.kinds.empty();
  return {.value = format_bytes(line.amount.bytes),
          .bar_bytes = line.amount.bytes,
          .share = format_percent(line.amount.bytes, options.requested_bytes),
          .label = keeper_line_label(frames, kept),
          .note = format_counted(line.amount.blocks, "block"),
          .title = std::move(title),
          .paint = has_kind_colour ? &kind_paint(line.kinds, line.amount.bytes) : &key_paint({}, last),
          .kinds = kinds_cell(line.kinds),
          .find = node_label(frames, last)};
}

} // namespace

RankedList keeper_list(const FrameTable& frames, const KeeperLines& keepers, const KeeperListOptions& options) {
  RankedList list;
  list.heading = "Who keeps it, by variable";
  std::uint64_t rest_bytes = 0;
  for (const KeeperLine& line : keepers.lines) {
    const bool is_small = line.amount.bytes < options.requested_bytes / kWorthARow && list.rows.size() >= kFewestRows;
    if (is_small || list.rows.size() == kRankedRows)
      rest_bytes += line.amount.bytes;
    else
      list.rows.push_back(row_of(frames, keepers, line, options));
  }
  const std::size_t more = keepers.lines.size() - list.rows.size();
  if (more > 0)
    list.rest = fmt::format("and {} with {} together", format_counted(more, "more keeper"), format_bytes(rest_bytes));
  return list;
}

} // namespace memviz::render
