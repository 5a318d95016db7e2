#pragma once

// Two recordings of one process -> one snapshot.

#include "snapshot_data.hpp"

namespace memviz::capture {

/// Adds the segments and the first trace of `from`, as those of `device`, which `to` does not have yet; frames, stacks
/// and settings go along. Annotations are left out: they are the process's, not a device's.
void append_device(SnapshotData from, int device, SnapshotData& to);

} // namespace memviz::capture
