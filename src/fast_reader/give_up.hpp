#pragma once

// The exception with which the fast reader abandons a file that it cannot read.

#include "memviz/read_by.hpp"

#include <cstdint>

namespace memviz::fast_reader {

/// Thrown by the fast reader, and caught only by its caller. It does not derive from std::exception, so that it is not
/// mistaken for an error.
struct GiveUp {
  PlainReason reason;
  std::uint64_t offset; ///< in the pickle
};

} // namespace memviz::fast_reader
