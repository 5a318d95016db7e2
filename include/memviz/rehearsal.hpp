#pragma once

// The mark of a rehearsed recording: made by a real program and PyTorch's real allocator on a made-up GPU (`memviz
// rehearse`). Every output of such a file shows it, so that it is not mistaken for a recording of a real GPU.

#include <cstdint>
#include <optional>
#include <string>

namespace memviz {

/// The facts that a file records about the made-up GPU; each may be missing.
struct Rehearsal {
  std::string gpu;     ///< "NVIDIA H100 80GB HBM3"
  std::string profile; ///< "h100-80"
  /// The memory of each device; never more than kMaxTotalBytes.
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> rank = {};  ///< in a job whose other ranks were absent
  std::optional<std::uint64_t> ranks = {}; ///< of that job
};

/// "rehearsed on a made-up NVIDIA H100 80GB HBM3, not recorded on a GPU"; for a rank of a job "rehearsed on a made-up
/// NVIDIA H100 80GB HBM3 as rank 3 of 512, the other ranks absent, not recorded on a GPU"
[[nodiscard]] std::string rehearsal_text(const Rehearsal& rehearsal);
/// A shorter form; "" for a recording of a real GPU.
[[nodiscard]] std::string rehearsal_alert(const std::optional<Rehearsal>& rehearsal);

} // namespace memviz
