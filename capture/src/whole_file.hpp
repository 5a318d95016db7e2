#pragma once

// Bytes -> a file that is complete or absent.

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace memviz::capture {

/// Calls `write` with a file next to `path`, which is then renamed to `path`; writes directly to a device or a pipe.
/// Throws std::runtime_error with the path; then there is no new file, and an earlier one is unchanged.
void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

} // namespace memviz::capture
