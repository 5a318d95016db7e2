#pragma once

// "transformer.h.0" -> its parts: the path of the parent, and the module's name in it.

#include <string_view>

namespace memviz::program {

/// The maximum length in bytes, which no real model reaches; longer paths are cut, because each part of a weight's name
/// is looked up.
inline constexpr std::size_t kLongestModulePath = 4096;

/// "0" of "transformer.h.0"; also "Linear" of "torch.nn.modules.linear.Linear".
[[nodiscard]] constexpr std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

/// "transformer.h" of "transformer.h.0"
[[nodiscard]] constexpr std::string_view holder_of(std::string_view path) {
  const std::size_t end = path.rfind('.');
  return end == std::string_view::npos ? std::string_view() : path.substr(0, end);
}

} // namespace memviz::program
