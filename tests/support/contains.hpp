#pragma once

// Whether words are in a text, for tests that read outputs.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::test {

[[nodiscard]] inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// Whether they are in one of the texts.
[[nodiscard]] inline bool one_contains(const std::vector<std::string>& texts, std::string_view part) {
  return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return contains(text, part); });
}

} // namespace memviz::test
