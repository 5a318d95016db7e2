#pragma once

// Two checkouts of one program -> which file of one is which of the other: the same path from some folder on.

#include "base/hash_map.hpp"
#include "memviz/frames.hpp"

#include <string_view>

namespace memviz {

/// Texts of the one's table -> texts of the other's.
using MovedFiles = HashMap<std::string_view, std::string_view>;

/// For each file that only `before` has, the one that only `after` has whose path ends in the same names, where one
/// ends in more of them than all others.
[[nodiscard]] MovedFiles moved_files(const FrameTable& before, const FrameTable& after);

} // namespace memviz
