#pragma once

// A text -> its parts between separators.

#include <string_view>
#include <vector>

namespace memviz {

/// "a,,b" -> "a", "", "b"; at least one.
[[nodiscard]] inline std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::string_view rest = text;;) {
    parts.push_back(rest.substr(0, rest.find(separator)));
    if (parts.back().size() == rest.size()) return parts;
    rest.remove_prefix(parts.back().size() + 1);
  }
}

} // namespace memviz
