#pragma once

// Bytes -> gzip, without a name and a time, so that the same bytes give the same result.

#include <string>
#include <string_view>

namespace memviz {

/// Throws std::bad_alloc.
[[nodiscard]] std::string gzipped(std::string_view bytes);

} // namespace memviz
