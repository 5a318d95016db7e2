#pragma once

// A pickle -> Recording by the fast reader, or the reason why only the plain one can read it.

#include "memviz/read_by.hpp"
#include "memviz/recording.hpp"

#include <optional>
#include <string_view>

namespace memviz {

struct FastReading {
  std::optional<Recording> recording; ///< none: the fast reader gave up
  ReadBy read_by;
};

/// Events are converted while the rest is decoded. Throws what the caller's code in `options` throws, and other errors
/// that have nothing to do with what is in the file. Where it gave up, the sink was restarted.
[[nodiscard]] FastReading read_fast(std::string_view bytes, const ReadOptions& options);

} // namespace memviz
