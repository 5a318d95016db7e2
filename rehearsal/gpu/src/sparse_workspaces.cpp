#include "sparse_workspaces.hpp"

namespace memviz::rehearsal {
namespace {

constexpr int kCsrAlgorithm1 = 4, kCsrAlgorithm2 = 6;
constexpr std::uint64_t kPaddingBytes = 7;

std::uint64_t blocks(std::uint64_t elements, std::uint64_t block_elements) {
  return (elements + block_elements - 1) / block_elements;
}

} // namespace

// An index for each block of elements.
std::optional<std::uint64_t> spmm_bytes(const Spmm& product) {
  const bool is_vector = product.dense_columns == 1;
  switch (product.algorithm) {
  case kCsrAlgorithm1: return kPaddingBytes + product.index_bytes * blocks(product.elements, is_vector ? 4096 : 256);
  case kCsrAlgorithm2:
    return kPaddingBytes +
           product.index_bytes * (is_vector ? blocks(product.elements, 3072) + 1 : blocks(product.elements, 24));
  default: return std::nullopt;
  }
}

std::uint64_t spgemm_estimation_bytes(std::uint64_t elements) {
  return 12 * elements + 1847;
}

std::uint64_t spgemm_compute_bytes(std::uint64_t terms) {
  return 24 * terms + kPaddingBytes;
}

} // namespace memviz::rehearsal
