#pragma once

// The file for a snapshot of the moment when memory ran out: oom_rank<R>_<host>_pid<P>_<time>.pickle.

#include <filesystem>

namespace memviz::capture {

/// An empty file that was not there before, to be replaced by the snapshot.
struct ReservedFile {
  std::filesystem::path path;
};

/// The name has the rank (find_rank(); 0 without one), the host, the process, and the time in UTC. Creates the file, so
/// that no other process or thread gets the same name. Throws std::runtime_error, with the path, when it cannot be.
[[nodiscard]] ReservedFile reserve_oom_file(const std::filesystem::path& directory);

} // namespace memviz::capture
