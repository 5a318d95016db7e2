#pragma once

// The line of a frame in JSON: null if it is unknown.

#include "memviz/source_line.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

[[nodiscard]] inline std::optional<std::int64_t> known_line(std::int64_t line) {
  return line == kUnknownLine ? std::nullopt : std::optional(line);
}

} // namespace memviz
