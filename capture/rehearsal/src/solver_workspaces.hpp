// The workspaces of cuSOLVER. The formulas were fitted to what PyTorch 2.11 requested on an H100 (cuSOLVER 12, November
// 2026) for square matrices of 4 to 1,024 rows, 14 sizes, in single and double precision, alone and in batches of 2 and
// 8. All are exact, except that Xgeev's is 512 bytes too small for 128 x 128 in double precision. How the rows and
// columns of other matrices enter is assumed.
#pragma once

#include <cstdint>

namespace memviz::rehearsal {

// In bytes.
[[nodiscard]] std::uint64_t potrf_bytes(std::uint64_t size);
[[nodiscard]] std::uint64_t getrf_bytes(std::uint64_t size);
[[nodiscard]] std::uint64_t sytrf_bytes(std::uint64_t size, std::uint64_t element_bytes);
[[nodiscard]] std::uint64_t geqrf_bytes(std::uint64_t size, std::uint64_t element_bytes);
[[nodiscard]] std::uint64_t syevd_bytes(std::uint64_t size, std::uint64_t element_bytes);
[[nodiscard]] std::uint64_t geev_bytes(std::uint64_t size, std::uint64_t element_bytes);
// One workspace for `count` matrices.
[[nodiscard]] std::uint64_t syev_batched_bytes(std::uint64_t size, std::uint64_t count, std::uint64_t element_bytes);

// In elements of the matrix.
[[nodiscard]] std::uint64_t orgqr_elements(std::uint64_t rows, std::uint64_t reflectors);
[[nodiscard]] std::uint64_t ormqr_elements(std::uint64_t rows, std::uint64_t columns, std::uint64_t reflectors);
[[nodiscard]] std::uint64_t syevj_elements(std::uint64_t size);
[[nodiscard]] std::uint64_t gesvdj_elements(std::uint64_t rows, std::uint64_t columns);
// For matrices up to 32 x 32, any number of them.
inline constexpr std::uint64_t kGesvdjBatchedElements = 992;

} // namespace memviz::rehearsal
