#include "solver_workspaces.hpp"

#include "numbers.hpp"

#include <algorithm>
#include <bit>

namespace memviz::rehearsal {
namespace {

constexpr std::uint64_t kTile = 32; // rows and columns of a tile, and the alignment of arrays in elements
constexpr std::uint64_t kParametersBytes = 128;

std::uint64_t tiles(std::uint64_t size) {
  return round_up(size, kTile) / kTile;
}

std::uint64_t aligned(std::uint64_t elements) {
  return round_up(elements, kTile);
}

std::uint64_t tile_table_bytes(std::uint64_t size) {
  return round_up(4 * tiles(size) * tiles(size), 32);
}

// The reflectors, their triangular factor and a row.
std::uint64_t reflector_elements(std::uint64_t rows, std::uint64_t reflectors) {
  return aligned(reflectors * (rows + reflectors)) + (rows > kTile ? aligned(rows) : 0);
}

std::uint64_t geqrf_elements(std::uint64_t columns) {
  return 1024 * (std::max<std::uint64_t>(columns, 256) + 512);
}

} // namespace

std::uint64_t potrf_bytes(std::uint64_t size) {
  return kParametersBytes + tile_table_bytes(size);
}

std::uint64_t getrf_bytes(std::uint64_t size) {
  return 256 + round_up(8 * size, 256) +
         std::max(8 * std::clamp<std::uint64_t>(std::bit_ceil(size), 32, 512), tile_table_bytes(size));
}

std::uint64_t sytrf_bytes(std::uint64_t size, std::uint64_t element_bytes) {
  return std::max(64 * (size + 1) * element_bytes, 90240 + 2048 * element_bytes);
}

std::uint64_t geqrf_bytes(std::uint64_t columns, std::uint64_t element_bytes) {
  return kParametersBytes + geqrf_elements(columns) * element_bytes;
}

std::uint64_t orgqr_elements(std::uint64_t rows, std::uint64_t columns, std::uint64_t reflectors) {
  const std::uint64_t block = std::min<std::uint64_t>(reflectors, 128);
  return 256 + aligned(rows * block + std::max<std::uint64_t>(32768, 16384 + 2 * columns * block));
}

std::uint64_t ormqr_elements(std::uint64_t rows, std::uint64_t reflectors) {
  return 256 + 65536 + 768 * rows + reflector_elements(rows, reflectors);
}

std::uint64_t syevj_elements(std::uint64_t size) {
  const std::uint64_t count = tiles(size);
  return size * size + size + 1024 * (count + 1) + 4 * count * count + count;
}

// A matrix that is not square is factorized as Q R first, a wide one from a transposed copy.
std::uint64_t gesvdj_elements(std::uint64_t rows, std::uint64_t columns, SingularVectors vectors) {
  const auto [size, longer] = std::minmax(rows, columns);
  if (longer <= kTile) return kGesvdjBatchedElements;
  const std::uint64_t square =
      aligned(2 * size * size) + 2048 * tiles(size) + std::max(992 + aligned(2 * size), 544 + 128 * tiles(size));
  if (rows == columns) return square;
  const std::uint64_t factorization = 32 + geqrf_elements(size);
  const std::uint64_t multiplication = vectors == SingularVectors::all ? ormqr_elements(longer, size) : 0;
  const std::uint64_t copy = rows < columns ? aligned(rows * columns) : 0;
  return copy + aligned(size) + std::max({factorization, multiplication, square});
}

std::uint64_t syevd_bytes(std::uint64_t size, std::uint64_t element_bytes) {
  if (size == 0) return 0;
  const std::uint64_t largest_step = std::max(65536 + 768 * size, 33024 + aligned((size - 1) * (size + 128)));
  return kParametersBytes +
         element_bytes * (size * size + 2 * size + 35 + reflector_elements(size, size - 1) + largest_step);
}

std::uint64_t syev_batched_bytes(std::uint64_t size, std::uint64_t count, std::uint64_t element_bytes) {
  if (size == 0) return 0;
  const std::uint64_t each = 65536 + 768 * size + size * size + 2 * size * (size - 1) + 3;
  return kParametersBytes + element_bytes * (count * each + aligned(size * count + size) + 32);
}

std::uint64_t geev_bytes(std::uint64_t size, Number number) {
  if (size == 0) return 0;
  const std::uint64_t reflectors = size - 1;
  const std::uint64_t elements = 32 + std::max(orgqr_elements(reflectors, reflectors, reflectors), size * size);
  // Three rows of numbers, and one of real numbers.
  const std::uint64_t real_bytes = number.is_complex ? number.bytes / 2 : number.bytes;
  return round_up(number.bytes * (elements + 3 * size) + real_bytes * size, 512);
}

} // namespace memviz::rehearsal
