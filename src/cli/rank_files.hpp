#pragma once

// Files and folders of a command line -> the parts of the ranks of a job, read by several threads at once.

#include "cli/file_options.hpp"
#include "cli/option.hpp"
#include "memviz/ranks.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace memviz::cli {

/// --rank-pattern and --step.
[[nodiscard]] OptionList<RankOptions> rank_options();

/// Returns a part of each snapshot, with lines of so many bytes, and those that files of parts have. A file that cannot
/// be read is a part with its reason. Throws what files_of() throws.
[[nodiscard]] std::vector<RankPart> parts_of_files(const std::vector<std::string>& operands, const FileOptions& options,
                                                   std::size_t most_text_bytes = kPartTextBytes);

/// Whether an operand is a folder, or a file of parts.
[[nodiscard]] bool is_job(const std::string& operand);

} // namespace memviz::cli
