#pragma once

// Bytes -> a file that is whole or not there.

#include <filesystem>
#include <functional>
#include <iosfwd>

namespace memviz::capture {

/// Calls `write` with a file next to `path`, which is then renamed to `path`; a device or a pipe is written directly.
/// Throws std::runtime_error with the path; then no new file is there, and an earlier one is as it was.
void write_whole_file(const std::filesystem::path& path, const std::function<void(std::ostream&)>& write);

} // namespace memviz::capture
