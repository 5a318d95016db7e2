#pragma once

// "500K", "1.5GiB", "2%", "12" -> numbers.

#include "memviz/gauges.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace memviz {

/// Parses bytes: a number, which may have a fraction, and a unit. K, M, G, T (or KB, ...) are powers of 1000; Ki, Mi,
/// Gi, Ti (or KiB, ...) powers of 1024. Throws UsageError that names `option`.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view option, std::string_view text);

/// Parses the same, but refuses small numbers without a unit except 0: "2" might be percent, or megabytes.
[[nodiscard]] std::uint64_t parse_bytes_with_unit(std::string_view option, std::string_view text);

/// The value of --max-memory or --max-size, with its spelling.
struct SizeLimit {
  std::uint64_t bytes = 0;
  std::string word;
};
/// Parses the same as parse_bytes().
[[nodiscard]] SizeLimit parse_size_limit(std::string_view option, const std::string& word);

/// Parses 0 to 100, with or without a '%'. Throws UsageError that names `option`.
[[nodiscard]] double parse_percent(std::string_view option, std::string_view text);

/// Parses a number from `least` to `most`. Throws UsageError that names `option`.
[[nodiscard]] double parse_factor(std::string_view option, std::string_view text, double least, double most);

/// Parses a whole number from `least` to `most`. Throws UsageError that names `option`.
[[nodiscard]] std::uint64_t parse_count(std::string_view option, std::string_view text, std::uint64_t least,
                                        std::uint64_t most);

/// Parses the maximum growth: bytes as for parse_bytes_with_unit(), or percent of the former value. Throws UsageError
/// that names `option`.
[[nodiscard]] GrowthLimit parse_limit(std::string_view option, std::string_view text);

/// Parses a limit of the peak and the end, as for parse_limit(), or a list of limits by name: "peak=1%,end=64MiB,
/// line=256KiB". Throws UsageError that names `option`.
[[nodiscard]] GateLimits parse_limits(std::string_view option, std::string_view text);

/// Returns parse_count() from 1 on, or from `least`, as the function of an option.
template <std::uint64_t most, std::uint64_t least = 1>
[[nodiscard]] std::uint64_t parse_up_to(std::string_view option, const std::string& word) {
  return parse_count(option, word, least, most);
}

} // namespace memviz
