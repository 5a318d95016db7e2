#pragma once

// The commit that the program was built from. cmake/git_commit.cmake writes it at each build, into a separate file, so
// that a commit rebuilds nothing else.

#include <string_view>

namespace memviz::cli {

/// Returns the output of `git describe`: "v0.2.0-12-g1a2b3c4", "1a2b3c4-dirty"; "" if there is no git.
[[nodiscard]] std::string_view commit();

} // namespace memviz::cli
