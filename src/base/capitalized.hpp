#pragma once

// Words -> the beginning of a sentence.

#include <string>

namespace memviz {

/// Returns `text` with a capital first letter, where that is one of ASCII.
[[nodiscard]] inline std::string capitalized(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 32);
  return text;
}

} // namespace memviz
