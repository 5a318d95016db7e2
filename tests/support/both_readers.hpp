#pragma once

// The two readers of pickles held against each other.

#include "memviz/read_by.hpp"
#include "memviz/recording.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memviz::test {

struct Reading {
  std::string outcome;           ///< all of the recording as text, or what is wrong with the file
  std::optional<ReadBy> read_by; ///< none where no reader began
};

/// Reads `bytes` with `options` except for on_reader.
[[nodiscard]] Reading reading_of(std::string_view bytes, ReadOptions options);

/// Fails the test unless the fast reader, on any number of threads, says what the plain one says. Returns who read it.
ReadBy check_same(std::string_view bytes);

} // namespace memviz::test
