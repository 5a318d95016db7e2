#pragma once

// A folder that a recorder left -> the one recording in it that `compare` takes for the whole run.

#include "cli/frame/file_options.hpp"

#include <string>

namespace memviz::cli {

/// Returns the file of the folder's only process: the one that it wrote at its end, which has everything, or else that
/// of its last out-of-memory error ("train-17.pickle", "train-17-oom2.pickle"). Throws UsageError if there are several
/// processes, and the exceptions of files_of(). `other` is the file on the other side.
[[nodiscard]] std::string recording_in(const std::string& folder, const std::string& other, const FileOptions& options);

} // namespace memviz::cli
