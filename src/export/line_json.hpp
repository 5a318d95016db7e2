#pragma once

// The line of a frame as JSON has it: null where it is not known.

#include "memviz/source_line.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

[[nodiscard]] inline std::optional<std::int64_t> known_line(std::int64_t line) {
  return line == kUnknownLine ? std::nullopt : std::optional(line);
}

} // namespace memviz
