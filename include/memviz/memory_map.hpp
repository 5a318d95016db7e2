#pragma once

// The allocator's memory at some moment: segments and their blocks, as flat tables. Sizes are bytes, addresses are
// unsigned 64 bit.

#include "memviz/events.hpp"
#include "memviz/frames.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace memviz {

/// The limit for sums of sizes (1 EiB): far above any real one, so that signed arithmetic on a few of them cannot
/// overflow.
inline constexpr std::uint64_t kMaxTotalBytes = std::uint64_t{1} << 60U;

enum class BlockState : std::uint8_t { active_allocated, active_pending_free, inactive };

/// PyTorch's own spelling: "active_allocated", ...
[[nodiscard]] std::string_view state_name(BlockState state);

struct Block {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  /// The bytes that the program requested, at most size_bytes; 0 for inactive blocks, whose requested_size is stale in
  /// every file.
  std::uint64_t requested_bytes = 0;
  BlockState state = BlockState::inactive;
  /// Stack of the allocation; kNoFrames for inactive blocks.
  StackId stack = kNoFrames;

  [[nodiscard]] bool is_active() const { return state != BlockState::inactive; }
  /// Returns the bytes that the allocator added to the request.
  [[nodiscard]] std::uint64_t rounding_bytes() const { return is_active() ? size_bytes - requested_bytes : 0; }
};

struct Segment {
  DeviceId device;
  std::uint64_t address = 0;
  std::uint64_t total_bytes = 0;
  /// The cudaStream_t as an integer; 0 is the default stream.
  std::int64_t stream = 0;
  PoolId pool;
  bool is_expandable = false;
  /// `segment_type`: large, small, or nullopt if the file does not record it.
  std::optional<bool> is_large;
  /// Stack of the cudaMalloc.
  StackId stack = kNoFrames;
  std::uint32_t first_block = 0;
  std::uint32_t block_count = 0;
  /// total_bytes minus the bytes its blocks cover; nonzero only in damaged or edited files.
  std::uint64_t uncovered_bytes = 0;
};

struct MemoryMap {
  std::vector<Segment> segments; ///< sorted by device, then address
  std::vector<Block> blocks;     ///< grouped by segment, in address order

  [[nodiscard]] std::span<const Block> blocks_of(const Segment& segment) const {
    return std::span(blocks).subspan(segment.first_block, segment.block_count);
  }
  /// Returns the segments of one device, or of all if nullopt, in address order.
  [[nodiscard]] std::span<const Segment> segments_of(std::optional<DeviceId> device) const;
};

} // namespace memviz
