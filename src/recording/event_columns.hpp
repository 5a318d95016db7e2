#pragma once

// The events of a device <-> columns. Events at the same address are similar: a free has the size, stream and pool of
// its allocation, and the next allocation at a freed address often its size. So each event records how long ago its
// address was last used, and for those members only the difference from then.

#include "memviz/events.hpp"
#include "recording/column_archive.hpp"

namespace memviz {

void write_events(ColumnWriter& writer, const EventTable& events);
/// Throws Error for events that write_events() does not write; texts and stacks refer to `frames`.
[[nodiscard]] EventTable read_events(ColumnReader& reader, const FrameTable& frames);

} // namespace memviz
