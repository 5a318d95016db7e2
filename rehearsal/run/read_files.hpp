#pragma once

// The records of what the processes of a run opened (gpu/src/opened_files.cpp) -> what must be as it was for the run to
// be the same again: files by size, times and number, files that are missing, and the names in folders.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

/// One thing that a run depends on.
struct ReadFile {
  char kind = 'r'; ///< r: a file; e: any file or folder; a: nothing; d: the names in a folder; i: its Python modules
  std::string path;
  std::vector<std::uint64_t> state =
      {}; ///< of a file size, times of content and inode, number; of names a hash; else empty
  [[nodiscard]] bool operator==(const ReadFile&) const = default;
};

/// The files that a run depends on, or the reason that they are unknown.
struct ReadFiles {
  std::vector<ReadFile> files = {};
  std::string unknown_reason = {}; ///< "" if it is known
};

/// The time of the clock that gives files theirs, in nanoseconds since 1970.
[[nodiscard]] std::uint64_t file_clock_ns();

/// Returns what a run that began at `begin_ns` depends on, by its records, without what is in the folders `own`. It is
/// unknown if a program leaves no record, connects to another machine, changes what it has read, or reads what another
/// program changes meanwhile, or if the records are larger than 64 MiB.
[[nodiscard]] ReadFiles read_files(const std::filesystem::path& records, std::uint64_t begin_ns,
                                   const std::vector<std::filesystem::path>& own);

/// Whether it is as it was.
[[nodiscard]] bool is_as_it_was(const ReadFile& file);

} // namespace memviz::rehearse
