#pragma once

// Path -> the bytes of the file as they are on disk, compressed or not. The one place that maps and reads files, for
// POSIX.

#include "memviz/input.hpp"

#include <cstddef>
#include <string>

namespace memviz {

/// A regular file is mapped; `-` (standard input), pipes and other special files are read into memory, at most
/// `max_bytes`. Throws Error for a file that is missing, a directory, not readable or too large.
[[nodiscard]] Input read_file_bytes(const std::string& path, std::size_t max_bytes);

/// Bytes of main memory of this machine: more than that is not read or decompressed into memory.
[[nodiscard]] std::size_t main_memory_bytes();

} // namespace memviz
