#pragma once

// Files and folders of a command line -> the files, processed by several threads at once.

#include "cli/frame/command.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace memviz::cli {

/// Returns the operands, with each folder replaced by the snapshots below it, sorted by name: files that end in
/// .pickle, .pkl, .pt, .json or .ndjson, compressed or not, and archives. Throws Error for a folder that cannot be read
/// or has none.
[[nodiscard]] std::vector<std::string> files_of(const std::vector<std::string>& operands);

/// Sets files_of() as the operands of a command that takes several files.
void find_files(CommandOptions& options);

/// Calls `work` once for each file, with its index and the number of threads it may use, in `threads` threads at once.
/// Calls `done` in the order of the files, from this thread, as soon as the work on a file and on all before it is
/// finished. Files processed at the same time are together no larger than the largest of all, or 64 MiB. The first
/// exception of `work` or `done` stops everything and is rethrown.
void work_on_files(const std::vector<std::string>& files, unsigned threads,
                   const std::function<void(std::size_t file, unsigned threads)>& work,
                   const std::function<void(std::size_t file)>& done);

} // namespace memviz::cli
