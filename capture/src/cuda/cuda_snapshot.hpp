#pragma once

// The caching allocator's snapshot -> the data of a dump, each distinct stack named once.

#include "libtorch_version.hpp"
#include "snapshot_data.hpp"

namespace memviz::capture {

/// Contexts may be ours or PyTorch's own, of a recording that Python started before.
[[nodiscard]] SnapshotData make_cuda_snapshot(const libtorch::allocator::SnapshotInfo& info);

} // namespace memviz::capture
