#include "segments/pins_list.hpp"

#include "page/naming.hpp"

#include "memviz/format.hpp"

#include <fmt/format.h>

namespace memviz::render {

RankedList pins_list(const Pins& pins, const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                     const FramePaints& paints) {
  HolderTable table = pins_table(pins, "What pins free memory, by your own line of code", kRankedRows);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].share.clear();
    table.rows[i].note = fmt::format("{} in {}", format_counted(pins.lines[i].active.blocks, "block"),
                                     format_counted(pins.lines[i].segments, "segment"));
  }
  const auto title_of = [&](std::size_t i) {
    const PinningLine& line = pins.lines[i];
    return fmt::format("{}\n{} of blocks hold {} bytes of free memory, {} of them alone",
                       key_heading(frames, origins, line.key), format_bytes(line.active.bytes),
                       format_count(line.held_bytes), format_count(line.alone_bytes));
  };
  return holders_list(table, {line_labels(frames, keys_of(table)), title_of,
                              [&](const HolderRow& row) -> const Paint& { return paints.of(row.key); }});
}

} // namespace memviz::render
