#pragma once

// Which commit the program was built of: written by cmake/git_commit.cmake at each build, compiled by itself, so that a
// commit builds nothing else anew.

#include <string_view>

namespace memviz::cli {

/// What `git describe` says: "v0.2.0-12-g1a2b3c4", "1a2b3c4-dirty"; "" where there is no git.
[[nodiscard]] std::string_view commit();

} // namespace memviz::cli
