// The bytes of cuFFT's workspaces. The formulas were fitted to the 256 transforms in single precision that PyTorch 2.11
// ran on an H100 and on an H200 (cuFFT 12, November 2026): 255 are exact, and one, of 256 rows of 65,536 real numbers,
// took no workspace. Other precisions and layouts were not measured.
#pragma once

#include <cstdint>

namespace memviz::rehearsal {

// A transform of `rows` rows: the last dimension is a row, and the others and the batch count as rows. A row has
// `length` numbers, which are real on one side if `is_real`.
struct Fft {
  std::uint64_t length = 1;
  std::uint64_t rows = 1;
  bool is_real = false;
  int dimensions = 1;
  std::uint64_t complex_bytes = 8; // of one complex number
};

[[nodiscard]] std::uint64_t fft_workspace_bytes(const Fft& fft);

} // namespace memviz::rehearsal
