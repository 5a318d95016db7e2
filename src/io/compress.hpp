#pragma once

// Bytes -> the same compressed with gzip, without a name and without a time: the same bytes at every run.

#include <string>
#include <string_view>

namespace memviz {

/// Throws std::bad_alloc.
[[nodiscard]] std::string gzipped(std::string_view bytes);

} // namespace memviz
