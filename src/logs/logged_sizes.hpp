#pragma once

// "79.26 GiB" -> bytes, as messages about GPU memory write sizes. All of their units are powers of 1024, also GB and G.

#include <cstdint>
#include <optional>
#include <string_view>

namespace memviz {

/// The RE2 pattern of a size, with two groups: the number and the unit, which is empty for plain bytes.
#define MEMVIZ_LOGGED_SIZE "(\\d[\\d,]*(?:\\.\\d+)?)\\s*(bytes|[KMGT]i?B|[KMGT]\\b|B\\b|)"

/// Returns nullopt for a number that is none, and for more than kMostLoggedBytes.
[[nodiscard]] std::optional<std::uint64_t> logged_bytes(std::string_view number, std::string_view unit);

} // namespace memviz
