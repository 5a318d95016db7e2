#pragma once

// SHA-256 (FIPS 180-4), from which pseudonyms are made, because a weaker hash would reveal the key.

#include <array>
#include <cstdint>
#include <string_view>

namespace memviz {

[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

} // namespace memviz
