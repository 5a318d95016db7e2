#pragma once

// SHA-256 (FIPS 180-4): what pseudonyms are made of, because from a weaker hash a key could be computed.

#include <array>
#include <cstdint>
#include <string_view>

namespace memviz {

[[nodiscard]] std::array<std::uint8_t, 32> sha256(std::string_view bytes);

} // namespace memviz
