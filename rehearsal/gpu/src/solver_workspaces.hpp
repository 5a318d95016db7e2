// The workspaces of cuSOLVER. The formulas were fitted to what PyTorch 2.11 requested on an H100 and an H200 (cuSOLVER
// 12, November 2026): square matrices of 4 to 1,500 rows, 20 sizes, and five tall and wide ones of 40 x 100 to 1,000 x
// 64, in float32, float64 and complex64, alone and in batches. All are exact, except that Xgeev's is 512 bytes too
// small for 128 x 128 in float64. ormqr and syevj were measured for square matrices of real numbers only.
#pragma once

#include <cstdint>

namespace memviz::rehearsal {

// The number type of a matrix.
struct Number {
  std::uint64_t bytes;
  bool is_complex;
};

// The singular vectors that are computed: as many as the shorter side, or all.
enum class SingularVectors { reduced, all };

// In bytes.
[[nodiscard]] std::uint64_t potrf_bytes(std::uint64_t size);
[[nodiscard]] std::uint64_t getrf_bytes(std::uint64_t size);
[[nodiscard]] std::uint64_t sytrf_bytes(std::uint64_t size, std::uint64_t element_bytes);
[[nodiscard]] std::uint64_t geqrf_bytes(std::uint64_t columns, std::uint64_t element_bytes);
[[nodiscard]] std::uint64_t syevd_bytes(std::uint64_t size, std::uint64_t element_bytes);
[[nodiscard]] std::uint64_t geev_bytes(std::uint64_t size, Number number);
// One workspace for `count` matrices.
[[nodiscard]] std::uint64_t syev_batched_bytes(std::uint64_t size, std::uint64_t count, std::uint64_t element_bytes);

// In elements of the matrix.
[[nodiscard]] std::uint64_t orgqr_elements(std::uint64_t rows, std::uint64_t columns, std::uint64_t reflectors);
[[nodiscard]] std::uint64_t ormqr_elements(std::uint64_t rows, std::uint64_t reflectors);
[[nodiscard]] std::uint64_t syevj_elements(std::uint64_t size);
[[nodiscard]] std::uint64_t gesvdj_elements(std::uint64_t rows, std::uint64_t columns, SingularVectors vectors);
// For matrices up to 32 x 32, any number of them.
inline constexpr std::uint64_t kGesvdjBatchedElements = 992;

} // namespace memviz::rehearsal
