#pragma once

// The line number of a frame. PyTorch's C++ unwinder writes 2^64 - 1 for an unknown one.

#include <cstdint>
#include <limits>
#include <string>

namespace memviz {

/// The value of Frame::line for 2^64 - 1; no other number in a file maps to it.
inline constexpr std::int64_t kUnknownLine = std::numeric_limits<std::int64_t>::min();

/// Whether the line is known; 0 also means unknown.
[[nodiscard]] inline bool is_line(std::int64_t line) {
  return line != 0 && line != kUnknownLine;
}

/// Returns the line as the file has it and PyTorch's own tools print it: "12", "18446744073709551615".
[[nodiscard]] inline std::string file_line_text(std::int64_t line) {
  return line == kUnknownLine ? std::to_string(std::numeric_limits<std::uint64_t>::max()) : std::to_string(line);
}

} // namespace memviz
