#pragma once

// Two checkouts of one program -> which file of one corresponds to which file of the other: their paths are equal from
// some folder on.

#include "base/hash_map.hpp"
#include "memviz/frames.hpp"

#include <string_view>

namespace memviz {

/// Texts of one table -> texts of the other.
using MovedFiles = HashMap<std::string_view, std::string_view>;

/// Maps each file that only `before` has to the file that only `after` has whose path ends in the same names, if one of
/// them shares more names than all others.
[[nodiscard]] MovedFiles moved_files(const FrameTable& before, const FrameTable& after);

} // namespace memviz
