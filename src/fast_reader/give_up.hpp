#pragma once

// The exception with which the fast reader leaves a file that it cannot read.

#include "memviz/read_by.hpp"

#include <cstdint>

namespace memviz::fast_reader {

/// Thrown by the fast reader, and caught by who started it, nowhere else. It is no std::exception, so that no one takes
/// it for an error.
struct GiveUp {
  PlainReason reason;
  std::uint64_t offset; ///< in the pickle
};

} // namespace memviz::fast_reader
