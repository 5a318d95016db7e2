// Whole numbers: from settings and profiles, independent of the locale; from addresses; rounded up.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

namespace memviz::rehearsal {

// Returns nullopt unless all of `text` is decimal digits of a number below 2^64.
[[nodiscard]] inline std::optional<std::uint64_t> parse_number(const std::string& text) {
  std::uint64_t result = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, result);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return result;
}

[[nodiscard]] inline std::uint64_t number_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

[[nodiscard]] constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t granularity_bytes) {
  return (bytes + granularity_bytes - 1) / granularity_bytes * granularity_bytes;
}

} // namespace memviz::rehearsal
