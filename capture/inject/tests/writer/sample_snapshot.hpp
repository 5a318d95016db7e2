#pragma once

// A small snapshot whose events and blocks agree, with every kind of value that the writer supports.

#include "snapshot_data.hpp"

namespace memviz::capture {

/// Two devices; stacks shared by blocks and events; names that are not UTF-8; a private pool, an expandable segment, an
/// allocation beyond 2^63, a pending free, an event without a stack, one that ran out of memory.
[[nodiscard]] SnapshotData sample_snapshot();

} // namespace memviz::capture
