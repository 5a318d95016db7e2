#pragma once

// An unknown word -> the word that was probably meant.

#include <span>
#include <string>
#include <string_view>

namespace memviz {

/// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to);

/// "; did you mean 'flame'?" for the nearest candidate, the first among equals; "" if none is near.
[[nodiscard]] std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// "memory or segments", "device, pool, stream, segment or state"
[[nodiscard]] std::string listed(std::span<const std::string_view> names);

} // namespace memviz
