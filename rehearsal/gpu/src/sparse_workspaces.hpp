// The workspaces of cuSPARSE, in bytes, fitted to what PyTorch 2.11 requested on an H100 (cuSPARSE 12, November 2026).
#pragma once

#include <cstdint>
#include <optional>

namespace memviz::rehearsal {

// A product of a sparse matrix in CSR format and a dense one.
struct Spmm {
  int algorithm = 0; // cusparseSpMMAlg_t
  std::uint64_t elements = 0;
  std::uint64_t dense_columns = 0;
  std::uint64_t index_bytes = 0;
};

// Returns nullopt for algorithms other than the two that PyTorch uses. Exact for all 78 products that were measured on
// an H100 and an H200, in single precision: 50 to 1,000,000 elements and 1 to 128 columns, with indices of 4 bytes for
// the first algorithm and of 8 bytes for the second.
[[nodiscard]] std::optional<std::uint64_t> spmm_bytes(const Spmm& product);

// The two workspaces of a product of two sparse matrices, of which one was measured (49,928 elements each, 4,096 x
// 4,096, in single precision): one for the elements of the first factor, and one for the `terms` that the product sums.
[[nodiscard]] std::uint64_t spgemm_estimation_bytes(std::uint64_t elements);
[[nodiscard]] std::uint64_t spgemm_compute_bytes(std::uint64_t terms);

} // namespace memviz::rehearsal
