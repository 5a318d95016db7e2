#include "base/suggest.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace memviz {

std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> two_rows_up;
  std::vector<std::size_t> row_above(to.size() + 1);
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t j = 0; j <= to.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= from.size(); ++i) {
    two_rows_up = std::exchange(row_above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= to.size(); ++j) {
      const std::size_t replaced = row_above[j - 1] + (from[i - 1] == to[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, row_above[j] + 1, row[j - 1] + 1});
      const bool is_swap = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
      if (is_swap) row[j] = std::min(row[j], two_rows_up[j - 2] + 1);
    }
  }
  return row[to.size()];
}

std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return "";
  std::string_view nearest;
  // The length up to which a word is short: two letters are half of it, so that almost any other short word is equally
  // close.
  constexpr std::size_t kShortWord = 4;
  const std::size_t farthest = word.size() <= kShortWord ? 1 : std::max<std::size_t>(2, word.size() / 3);
  std::size_t nearest_distance = farthest + 1;
  for (const std::string_view candidate : candidates) {
    std::size_t distance = edit_distance(word, candidate);
    // People type the beginning of a word when they expect it to be enough.
    if (word.size() > 1 && candidate.starts_with(word)) distance = std::min<std::size_t>(distance, 1);
    const bool is_another_word = distance >= candidate.size();
    if (distance >= nearest_distance || is_another_word) continue;
    nearest = candidate;
    nearest_distance = distance;
  }
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

} // namespace memviz
