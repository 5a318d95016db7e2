#pragma once

// Compares the two readers of pickles.

#include "memviz/read_by.hpp"
#include "memviz/recording.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace memviz::test {

struct Reading {
  std::string outcome;           ///< all of the recording as text, or the error
  std::optional<ReadBy> read_by; ///< nullopt if no reader started
};

/// Reads `bytes` with `options` except for on_reader.
[[nodiscard]] Reading reading_of(std::string_view bytes, ReadOptions options);

/// Fails the test unless the fast reader, on any number of threads, gives the plain one's result. Returns the reader
/// used.
ReadBy check_same(std::string_view bytes);

} // namespace memviz::test
