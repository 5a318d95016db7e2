#pragma once

// The line of a frame. PyTorch's C++ unwinder writes 2^64 - 1 where it does not know one.

#include <cstdint>
#include <limits>
#include <string>

namespace memviz {

/// The value of Frame::line for 2^64 - 1; no other number in a file becomes it.
inline constexpr std::int64_t kUnknownLine = std::numeric_limits<std::int64_t>::min();

/// Whether there is one to go to: 0 is none, either.
[[nodiscard]] inline bool is_line(std::int64_t line) {
  return line != 0 && line != kUnknownLine;
}

/// As the file has it, and as PyTorch's own tools print it: "12", "18446744073709551615".
[[nodiscard]] inline std::string file_line_text(std::int64_t line) {
  return line == kUnknownLine ? std::to_string(std::numeric_limits<std::uint64_t>::max()) : std::to_string(line);
}

} // namespace memviz
