#pragma once

// The events of a device <-> columns. Events at the same address resemble each other: a free has the size, stream and
// pool of its allocation, and the next allocation at a freed place often its size. So each event says how long ago its
// address was last used, and of those members only how they differ from then.

#include "memviz/events.hpp"
#include "recording/column_archive.hpp"

namespace memviz {

void write_events(ColumnWriter& writer, const EventTable& events);
/// Throws Error for events that write_events() does not write; texts and stacks are those of `frames`.
[[nodiscard]] EventTable read_events(ColumnReader& reader, const FrameTable& frames);

} // namespace memviz
