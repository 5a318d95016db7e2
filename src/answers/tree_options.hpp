#pragma once

// The options for how memory is grouped into a tree, and which frames it has.

#include "answers/option.hpp"
#include "memviz/answers.hpp"

#include <string>

namespace memviz {

[[nodiscard]] Option<TreeChoice> view_option(std::string help);
/// --by: the last levels, stacks or keepers.
[[nodiscard]] Option<TreeChoice> by_option();
[[nodiscard]] OptionList<TreeChoice> tree_options(); ///< the grouping, and which frames are kept

} // namespace memviz
