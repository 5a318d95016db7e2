#pragma once

// Raw return addresses -> frames, from the symbol tables of the modules of the process. Done once, at dump.

#include "snapshot_data.hpp"
#include "stack_table.hpp"

namespace memviz::inject {

/// Sets `snapshot`'s frames and stacks from `table`, in the same order; each distinct address is looked up once. The
/// recorder's own frames, CUPTI's and the driver's nameless ones at the inner end of a stack are left out. A frame's
/// file is its module, its line 0; a function without a symbol is called "module+0xoffset".
void add_stacks(const capture::StackTable& table, capture::SnapshotData& snapshot);

} // namespace memviz::inject
