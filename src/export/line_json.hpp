#pragma once

// The line of a frame as JSON: null where it is not known.

#include "memviz/source_line.hpp"

#include <nlohmann/json.hpp>

namespace memviz {

[[nodiscard]] inline nlohmann::ordered_json line_json(std::int64_t line) {
  return line == kUnknownLine ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(line);
}

} // namespace memviz
