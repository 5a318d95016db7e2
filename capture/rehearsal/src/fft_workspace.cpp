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
// Longer real rows take a workspace unless their length is a power of two: measured for 1,022, not for 1,000.
constexpr std::uint64_t kLongestRealRow = 1000;
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

// An even number of real numbers is transformed as half as many complex ones.
std::uint64_t even_workspace_bytes(const Fft& fft) {
  const std::uint64_t half = fft.length / 2;
  const std::uint64_t column_bytes = fft.rows * fft.complex_bytes;
  if (is_convolution(half))
    return half * column_bytes + 2 * round_up(convolution_length(half) * column_bytes + 1, kFftAlignmentBytes);
  const bool is_in_place = half <= kLongestRow && largest_prime_factor(half) <= kLargestFactorInPlace;
  const bool is_one_kernel = std::has_single_bit(half) || (fft.dimensions == 1 && fft.length <= kLongestRealRow);
  if (is_in_place && is_one_kernel) return 0;
  return (is_in_place ? half : half + 1) * column_bytes;
}

// An odd number of real numbers is transformed as complex ones.
std::uint64_t odd_workspace_bytes(const Fft& fft) {
  if (fft.length <= kLongestRealRow && largest_prime_factor(fft.length) <= kLargestFactor) return 0;
  const bool convolves = is_convolution(fft.length);
  const std::uint64_t real_bytes = fft.length * fft.complex_bytes / 2;
  const std::uint64_t row_bytes = convolves ? convolution_length(fft.length) * fft.complex_bytes : real_bytes;
  const std::uint64_t part_bytes = round_up(fft.rows * row_bytes, kFftAlignmentBytes);
  if (fft.rows == 1) return 2 * part_bytes + 2 * real_bytes;
  return part_bytes + fft.rows * real_bytes + (convolves ? 2 * kFftAlignmentBytes : 0);
}

} // namespace

std::uint64_t fft_workspace_bytes(const Fft& fft) {
  if (!fft.is_real) return complex_workspace_bytes(fft);
  return fft.length % 2 == 0 ? even_workspace_bytes(fft) : odd_workspace_bytes(fft);
}

} // namespace memviz::rehearsal
