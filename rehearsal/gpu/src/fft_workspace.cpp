#include "fft_workspace.hpp"

#include "numbers.hpp"

#include <bit>

namespace memviz::rehearsal {
namespace {

// Complex rows up to kLongestRow take no workspace. The longest measured without one has 16,384 numbers, the shortest
// with one 65,536.
constexpr std::uint64_t kLongestRow = 16384;
// Rows with a larger prime factor are computed as a convolution (Bluestein's algorithm): measured for 241 and more, not
// for 127 and less. Rows of up to 4,096 numbers take no workspace for it: measured for 1,009, not for 4,097.
constexpr std::uint64_t kLargestFactor = 127;
constexpr std::uint64_t kLongestRowOfAnyFactor = 4096;
// Real rows with a larger prime factor take room for one more complex number: measured for 41, not for 37.
constexpr std::uint64_t kLargestFactorInPlace = 37;
// One kernel transforms real rows up to this length, if their length is a product of 2, 3, 5 and 7 and at most one 11:
// measured for 1,000 and 198 = 2 x 9 x 11, not for 1,998, 190 = 2 x 5 x 19 and 484 = 4 x 11 x 11. In more dimensions,
// measured for 300, not for 500. Powers of two need no more than one kernel at any length up to kLongestRow.
constexpr std::uint64_t kLongestRealRow = 1000, kLongestRealRowOfMany = 300;
constexpr std::uint64_t kFftAlignmentBytes = 1024;

std::uint64_t largest_prime_factor(std::uint64_t number) {
  std::uint64_t largest = 1;
  for (std::uint64_t factor = 2; factor * factor <= number; ++factor)
    for (; number % factor == 0; number /= factor)
      largest = factor;
  return number > 1 ? number : largest;
}

bool is_convolution(std::uint64_t length) {
  return length > kLongestRowOfAnyFactor && largest_prime_factor(length) > kLargestFactor;
}

// A convolution is as long as the next number whose prime factors are 2, 3 and 5.
std::uint64_t convolution_length(std::uint64_t length) {
  std::uint64_t result = 2 * length - 1;
  while (largest_prime_factor(result) > 5)
    ++result;
  return result;
}

std::uint64_t complex_workspace_bytes(const Fft& fft) {
  const std::uint64_t column_bytes = fft.rows * fft.complex_bytes;
  if (is_convolution(fft.length))
    return 2 * round_up(convolution_length(fft.length) * column_bytes, kFftAlignmentBytes);
  return fft.length > kLongestRow ? fft.length * column_bytes : 0;
}

bool is_one_kernel(std::uint64_t half, int dimensions) {
  if (std::has_single_bit(half)) return true;
  const std::uint64_t smooth = half % 11 == 0 ? half / 11 : half;
  return 2 * half <= (dimensions == 1 ? kLongestRealRow : kLongestRealRowOfMany) && largest_prime_factor(smooth) <= 7;
}

// Transforms real numbers as complex ones in a copy, which a large prime factor adds to.
std::uint64_t copied_workspace_bytes(std::uint64_t length, std::uint64_t column_bytes) {
  const std::uint64_t copy_bytes = length * column_bytes;
  if (!is_convolution(length)) return copy_bytes + round_up(copy_bytes, kFftAlignmentBytes);
  return copy_bytes + 2 * round_up((convolution_length(length) + 1) * column_bytes, kFftAlignmentBytes);
}

// An even number of real numbers is transformed as half as many complex ones.
std::uint64_t even_workspace_bytes(const Fft& fft) {
  const std::uint64_t half = fft.length / 2;
  const std::uint64_t column_bytes = fft.rows * fft.complex_bytes;
  const std::uint64_t factor = largest_prime_factor(half);
  if (factor > kLargestFactor) return copied_workspace_bytes(half, column_bytes);
  const bool is_in_place = half <= kLongestRow && factor <= kLargestFactorInPlace;
  if (is_in_place && is_one_kernel(half, fft.dimensions)) return 0;
  return (is_in_place ? half : half + 1) * column_bytes;
}

// Two rows of an odd number of real numbers are transformed as one of complex ones.
std::uint64_t odd_workspace_bytes(const Fft& fft) {
  if (fft.length <= kLongestRow && largest_prime_factor(fft.length) <= kLargestFactor) return 0;
  return copied_workspace_bytes(fft.length, (fft.rows + 1) / 2 * fft.complex_bytes);
}

} // namespace

std::uint64_t fft_workspace_bytes(const Fft& fft) {
  if (!fft.is_real) return complex_workspace_bytes(fft);
  return fft.length % 2 == 0 ? even_workspace_bytes(fft) : odd_workspace_bytes(fft);
}

} // namespace memviz::rehearsal
