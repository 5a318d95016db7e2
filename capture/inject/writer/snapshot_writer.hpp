#pragma once

// SnapshotData -> a pickle of protocol 4 with the keys of PyTorch's newest generation, frame lists shared by memo.

#include "snapshot_data.hpp"

#include <filesystem>
#include <iosfwd>

namespace memviz::capture {

/// Streams: memory does not grow with the snapshot. The stream's state shows whether it could be written.
void write_snapshot(const SnapshotData& snapshot, std::ostream& out);

/// Writes a file that is complete or absent, see whole_file.hpp.
void write_snapshot_file(const SnapshotData& snapshot, const std::filesystem::path& path);

} // namespace memviz::capture
