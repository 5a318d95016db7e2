#pragma once

// Bytes that are read as a recording -> why they are none.

#include "memviz/error.hpp"
#include "memviz/recording.hpp"

#include <string>

namespace memviz::test {

/// Returns why the bytes are no recording; "none" if they are one.
[[nodiscard]] inline std::string refusal_of(const std::string& bytes) {
  try {
    static_cast<void>(read_snapshot(bytes));
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

} // namespace memviz::test
