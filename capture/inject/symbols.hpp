#pragma once

// Raw return addresses -> frames, from the symbol tables of the process's modules. Done once, when a snapshot is
// written.

#include "snapshot_data.hpp"
#include "stack_table.hpp"

namespace memviz::inject {

/// Sets `snapshot`'s frames and stacks from `table`, in the same order; looks up each distinct address once. Omits the
/// recorder's own frames, CUPTI's and the driver's nameless ones at the inner end of a stack. A frame's file is its
/// module, its line 0; a function without a symbol is named "module+0xoffset".
void add_stacks(const capture::StackTable& table, capture::SnapshotData& snapshot);

} // namespace memviz::inject
