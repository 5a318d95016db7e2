#pragma once

// "500K", "1.5GiB", "2%" -> numbers.

#include <cstdint>
#include <string_view>

namespace memviz::cli {

/// Bytes: a number, which may have a fraction, and a unit. K, M, G, T (or KB, ...) are powers of 1000; Ki, Mi, Gi, Ti
/// (or KiB, ...) powers of 1024. Throws UsageError that names `option`.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view option, std::string_view text);

/// From 0 to 100, with or without a '%'. Throws UsageError that names `option`.
[[nodiscard]] double parse_percent(std::string_view option, std::string_view text);

/// From `least` to `most`. Throws UsageError that names `option`.
[[nodiscard]] double parse_factor(std::string_view option, std::string_view text, double least, double most);

/// The most that something may grow: bytes, or percent of what it was.
struct Threshold {
  bool is_percent = false;
  double percent = 0;
  std::uint64_t bytes = 0;
};

[[nodiscard]] Threshold parse_threshold(std::string_view option, std::string_view text);

/// Strictly more than allowed; anything is more than a percentage of nothing.
[[nodiscard]] bool is_exceeded(const Threshold& threshold, std::uint64_t before_bytes, std::uint64_t after_bytes);

} // namespace memviz::cli
