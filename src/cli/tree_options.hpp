#pragma once

// The options that say how memory is grouped into a tree, and which frames it has.

#include "cli/option.hpp"
#include "memviz/answers.hpp"

#include <string>

namespace memviz::cli {

[[nodiscard]] Option<TreeChoice> view_option(std::string help);
[[nodiscard]] OptionList<TreeChoice> tree_options(); ///< what is grouped, kept and left out

} // namespace memviz::cli
