#pragma once

// Files and folders of a command line -> the files, and work on them by several threads at once.

#include "cli/command.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::cli {

/// Returns the operands, with the snapshots below a folder instead of the folder, sorted by name: files that end in
/// .pickle, .pkl, .pt, .json or .ndjson, compressed or not. Throws Error for a folder that cannot be read or has none.
[[nodiscard]] std::vector<std::string> files_of(const std::vector<std::string>& operands);

/// Returns the name of a snapshot without the endings that snapshots have.
[[nodiscard]] std::string stem_of(std::string_view name);

/// Makes files_of() the operands of a command that takes several.
void find_files(CommandOptions& options);

/// Calls `work` once for each file with its index and the threads that it may use, in `threads` threads at once, and
/// `done` in the order of the files, from this thread, as soon as the work on that file and on all before it is over.
/// The files that are worked on at the same time are together no larger than the largest of all, or 64 MiB. The first
/// exception that `work` or `done` throws ends it all and is thrown again.
void work_on_files(const std::vector<std::string>& files, unsigned threads,
                   const std::function<void(std::size_t file, unsigned threads)>& work,
                   const std::function<void(std::size_t file)>& done);

} // namespace memviz::cli
