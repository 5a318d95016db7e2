#pragma once

// Files that nvcc wrote as an intermediate step, so that they no longer exist -> what they were made from.

#include <algorithm>
#include <string_view>

namespace memviz {

/// Returns "RangeFactories" of "tmpxft_00007b74_00000000-6_RangeFactories.cudafe1.cpp"; "" for other files.
[[nodiscard]] constexpr std::string_view source_between_compilers(std::string_view name) {
  if (!name.starts_with("tmpxft_")) return {};
  const std::size_t begin = name.find('_', name.find('-'));
  if (begin == std::string_view::npos) return {};
  const std::string_view source = name.substr(begin + 1);
  return source.substr(0, std::min(source.find(".compute_"), source.find(".cudafe")));
}

} // namespace memviz
