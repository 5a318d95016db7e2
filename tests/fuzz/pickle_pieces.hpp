#pragma once

// Pieces of pickles, for files built by hand.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memviz::fuzz {

using namespace std::string_literals;

inline constexpr std::string_view kProtocol4 = "\x80\x04";

/// Returns the lowest `size` bytes, least significant first.
[[nodiscard]] inline std::string number_bytes(std::uint64_t number, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i)
    bytes.push_back(static_cast<char>(number >> 8 * i & 0xFFU));
  return bytes;
}

[[nodiscard]] inline std::string text_piece(std::string_view text) {
  return (text.size() < 256 ? "\x8C" + number_bytes(text.size(), 1) : "X" + number_bytes(text.size(), 4)) +
         std::string(text);
}

/// LONG_BINGET.
[[nodiscard]] inline std::string fetch_piece(std::uint64_t number) {
  return number < 256 ? "h" + number_bytes(number, 1) : "j" + number_bytes(number, 4);
}

} // namespace memviz::fuzz
