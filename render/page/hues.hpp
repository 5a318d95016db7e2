#pragma once

// Lines of code -> hues: the same in every picture.

#include "page/palette.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace memviz::render {

/// The hues for lines of code. Any two of them are distinguishable to people who see no red or no green.
[[nodiscard]] std::span<const Paint> hues();

/// Returns the hue of each line, as an index: from a hash of its text, so that it stays the same from picture to
/// picture, or the next one that no earlier line has. Only the first lines, as many as there are hues, get different
/// ones.
[[nodiscard]] std::vector<std::size_t> choose_hues(const std::vector<std::string>& lines);

} // namespace memviz::render
