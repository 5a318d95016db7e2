#include "segments/pins_list.hpp"

#include "page/naming.hpp"

#include "memviz/format.hpp"

#include <fmt/format.h>

namespace memviz::render {

RankedList pins_list(const Pins& pins, const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                     const FramePaints& paints) {
  RankedList list;
  list.heading = "What pins free memory, by your own line of code";
  std::vector<NodeKey> keys;
  for (const PinningLine& line : pins.lines) {
    if (list.rows.size() == kRankedRows) break;
    keys.push_back(line.key);
    list.rows.push_back(
        {format_bytes(line.held_bytes),
         line.held_bytes,
         "",
         {},
         fmt::format("{} in {}", format_counted(line.active.blocks, "block"), format_counted(line.segments, "segment")),
         fmt::format("{}\n{} of blocks hold {} bytes of free memory, {} of them alone",
                     key_heading(frames, origins, line.key), format_bytes(line.active.bytes),
                     format_count(line.held_bytes), format_count(line.alone_bytes)),
         &paints.of(line.key)});
  }
  name_rows(list, line_labels(frames, keys));
  if (pins.lines.size() > list.rows.size())
    list.rest = "and " + format_counted(pins.lines.size() - list.rows.size(), "more line");
  return list;
}

} // namespace memviz::render
