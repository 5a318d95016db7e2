#pragma once

// A pickle -> Recording by the fast reader, or the reason why only the plain one can read it.

#include "memviz/read_by.hpp"
#include "memviz/recording.hpp"

#include <optional>
#include <string_view>

namespace memviz {

struct FastReading {
  std::optional<Recording> recording; ///< nullopt: the fast reader gave up
  ReadBy read_by;
};

/// Reads a pickle; converts events while the rest is decoded. Throws the exceptions of the caller's code in `options`,
/// and errors unrelated to the file's contents. If it gave up, the sink was restarted.
[[nodiscard]] FastReading read_fast(std::string_view bytes, const ReadOptions& options);

} // namespace memviz
