#include "pictures/keeper_list.hpp"

#include "page/kind_paints.hpp"
#include "page/naming.hpp"

#include "memviz/label.hpp"
#include "story/keeper_words.hpp"

namespace memviz::render {

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

} // namespace memviz::render
