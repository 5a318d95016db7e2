#pragma once

// The beginning of a list that a table or a sentence shows.

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <span>

namespace memviz {

/// Returns the first `most` items; all if there are fewer.
template <std::ranges::contiguous_range Items> [[nodiscard]] auto first_of(const Items& items, std::size_t most) {
  return std::span(std::ranges::data(items), std::min(most, std::ranges::size(items)));
}

} // namespace memviz
