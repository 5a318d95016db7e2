#pragma once

// Hashes for tables whose keys come from a file. They depend on a secret of this run; otherwise the author of a file
// could choose keys that collide and make a table as slow as a list. No output depends on the order of such a table.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace memviz {

/// Returns the secret, which is the same for the whole run.
[[nodiscard]] std::uint64_t hash_secret();

/// Returns the product of 64 times 64 bits, folded: every bit of the result depends on every bit of both.
[[nodiscard]] inline std::uint64_t folded_product(std::uint64_t one, std::uint64_t other) {
#ifdef __SIZEOF_INT128__
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(one) * other;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
#else
  // Multiplies by halves.
  constexpr std::uint64_t kLow = 0xFFFFFFFFU;
  const std::uint64_t low = (one & kLow) * (other & kLow);
  const std::uint64_t cross = (one >> 32U) * (other & kLow) + (low >> 32U);
  const std::uint64_t middle = (one & kLow) * (other >> 32U) + (cross & kLow);
  const std::uint64_t high = (one >> 32U) * (other >> 32U) + (cross >> 32U) + (middle >> 32U);
  return (middle << 32U | (low & kLow)) ^ high;
#endif
}

/// Returns `hash` with `value` mixed in; start with hash_secret().
[[nodiscard]] inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15ULL;
  return folded_product(hash ^ value, kOdd ^ (hash >> 32U));
}

[[nodiscard]] inline std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = mixed(hash_secret(), bytes.size());
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t word = 0;
  for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
    std::memcpy(&word, at, sizeof word);
    hash = mixed(hash, word);
  }
  if (left > 0) {
    word = 0;
    std::memcpy(&word, at, left);
    hash = mixed(hash, word);
  }
  return hash;
}

} // namespace memviz
