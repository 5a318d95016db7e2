#pragma once

// One segment -> its blocks in address order on one strip, to scale; what is free shows as holes.

#include "page/page.hpp"

#include "memviz/memory_map.hpp"

#include <functional>
#include <string>

namespace memviz::render {

struct BlockStrip {
  double x = 0;
  double y = 0;
  double width = 0; ///< of the whole segment
  double height = 0;
  /// The tooltip of a block, by its index in MemoryMap::blocks. Asked for blocks that are wide enough to point at.
  std::function<std::string(std::uint32_t block)> title;
};

/// Neighbours that are too narrow to see apart are drawn as one, so that the number of shapes depends on the width and
/// not on the number of blocks; what is in use is never narrower than a pixel.
void draw_block_strip(XmlElement parent, const MemoryMap& memory, const Segment& segment, const BlockStrip& strip);

} // namespace memviz::render
