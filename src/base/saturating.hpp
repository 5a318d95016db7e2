#pragma once

// Sums, products and differences of numbers from a file. At the end of their range they stay there instead of wrapping.

#include <cstdint>
#include <limits>

namespace memviz {

[[nodiscard]] inline std::uint64_t saturating_sum(std::uint64_t one, std::uint64_t other) {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(one, other, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

[[nodiscard]] inline std::uint64_t saturating_product(std::uint64_t one, std::uint64_t other) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(one, other, &product) ? std::numeric_limits<std::uint64_t>::max() : product;
}

[[nodiscard]] inline std::int64_t saturating_difference(std::int64_t from, std::int64_t taken) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(from, taken, &difference)) return difference;
  return from < taken ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max();
}

/// Returns the absolute value.
[[nodiscard]] inline std::uint64_t magnitude(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? std::uint64_t{0} - bits : bits;
}

} // namespace memviz
