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

} // namespace

std::uint64_t potrf_bytes(std::uint64_t size) {
  return kParametersBytes + round_up(4 * tiles(size) * tiles(size), 32);
}

std::uint64_t getrf_bytes(std::uint64_t size) {
  return 256 + round_up(8 * size, 256) + 8 * std::clamp<std::uint64_t>(std::bit_ceil(size), 32, 512);
}

std::uint64_t sytrf_bytes(std::uint64_t size, std::uint64_t element_bytes) {
  return std::max(64 * (size + 1) * element_bytes, 90240 + 2048 * element_bytes);
}

std::uint64_t geqrf_bytes(std::uint64_t size, std::uint64_t element_bytes) {
  return kParametersBytes + 1024 * (std::max<std::uint64_t>(size, 256) + 512) * element_bytes;
}

std::uint64_t orgqr_elements(std::uint64_t rows, std::uint64_t reflectors) {
  const std::uint64_t block = std::min<std::uint64_t>(reflectors, 128);
  return 256 + aligned(std::max(32768 + block * block, 16384 + 3 * rows * block));
}

std::uint64_t ormqr_elements(std::uint64_t rows, std::uint64_t columns, std::uint64_t reflectors) {
  return 256 + 65536 + 768 * rows + aligned(rows * (columns + reflectors)) + (rows > kTile ? aligned(rows) : 0);
}

std::uint64_t syevj_elements(std::uint64_t size) {
  const std::uint64_t count = tiles(size);
  return size * size + size + 1024 * (count + 1) + 4 * count * count + count;
}

std::uint64_t gesvdj_elements(std::uint64_t rows, std::uint64_t columns) {
  const std::uint64_t size = std::min(rows, columns);
  if (std::max(rows, columns) <= kTile) return kGesvdjBatchedElements;
  return aligned(rows * columns + size * size) + 2048 * tiles(size) +
         std::max(992 + aligned(2 * size), 544 + 128 * tiles(size));
}

std::uint64_t syevd_bytes(std::uint64_t size, std::uint64_t element_bytes) {
  if (size == 0) return 0;
  const std::uint64_t tridiagonal =
      65536 + 770 * size + size * size + aligned(2 * size * (size - 1)) + 35 + (size > kTile ? 32 : 0);
  return kParametersBytes + element_bytes * std::max(tridiagonal, 4 * size * size + 126 * size + 33987);
}

std::uint64_t syev_batched_bytes(std::uint64_t size, std::uint64_t count, std::uint64_t element_bytes) {
  if (size == 0) return 0;
  const std::uint64_t each = 65536 + 768 * size + size * size + 2 * size * (size - 1) + 3;
  return kParametersBytes + element_bytes * (count * each + aligned(size * count + size) + 32);
}

std::uint64_t geev_bytes(std::uint64_t size, std::uint64_t element_bytes) {
  if (size == 0) return 0;
  return round_up(element_bytes * (4 * size + 32 + std::max(orgqr_elements(size - 1, size - 1), size * size)), 512);
}

} // namespace memviz::rehearsal
