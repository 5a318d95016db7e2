#pragma once

// Files and folders of a command line -> the parts of a job's ranks, read by several threads at once.

#include "answers/option.hpp"
#include "cli/frame/file_options.hpp"
#include "memviz/ranks.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memviz::cli {

/// Defines --rank-pattern and --step.
[[nodiscard]] OptionList<RankOptions> rank_options();

/// Returns a part for each snapshot, with lines of this many bytes, and the parts in files of parts. A file that cannot
/// be read becomes a part with the reason. Throws the exceptions of files_of().
[[nodiscard]] std::vector<RankPart> parts_of_files(const std::vector<std::string>& operands, const FileOptions& options,
                                                   std::size_t most_text_bytes = kPartTextBytes);

/// Whether an operand is a folder or a file of parts; opens no archive.
[[nodiscard]] bool is_folder_or_parts(const std::string& operand);

/// Whether an operand is one of these, or an archive of several snapshots of which none is chosen (--rank).
[[nodiscard]] bool is_job(const std::string& operand, const FileOptions& options);

} // namespace memviz::cli
