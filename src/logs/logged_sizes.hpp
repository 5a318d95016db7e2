#pragma once

// "79.26 GiB" -> bytes, as messages about GPU memory write sizes. All of their units are powers of 1024, also GB and G.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace memviz {

/// Returns an RE2 pattern with each "<size>" in it replaced by two groups: the number, and the unit, which is empty for
/// plain bytes.
[[nodiscard]] std::string sized_pattern(std::string_view pattern);

/// Returns nullopt for a number that is none, and for more bytes than any machine has.
[[nodiscard]] std::optional<std::uint64_t> logged_bytes(std::string_view number, std::string_view unit);

} // namespace memviz
