#pragma once

// Settings of a recording -> the rules by which PyTorch's caching allocator serves a request. All sizes are bytes.
// Source: c10/cuda/CUDACachingAllocator.cpp, PyTorch 2.0 to 2.9.

#include "memviz/memory_state.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>

namespace memviz {

inline constexpr std::uint64_t kMinBlockBytes = 512;              ///< every block is a multiple of this
inline constexpr std::uint64_t kSmallRequestBytes = 1ULL << 20U;  ///< up to here a request is of the small pool
inline constexpr std::uint64_t kSmallSegmentBytes = 2ULL << 20U;  ///< segments, or pages, of the small pool
inline constexpr std::uint64_t kLargeSegmentBytes = 20ULL << 20U; ///< segments for medium requests; pages as well

/// max_split_size where it is not set.
inline constexpr std::uint64_t kNoSplitLimit = std::numeric_limits<std::uint64_t>::max();

/// The order in which a request takes one of several free blocks of one size. PyTorch 2.13 orders them by the age of
/// their segment, then by address (BlockComparatorSizeCounterAddress; the counter is set where a segment is made, and
/// what is cut from the segment inherits it: pytorch#183591); earlier versions by address alone (BlockComparatorSize).
/// No file shows its version.
enum class FreeBlockOrder : std::uint8_t { address, segment_age };

/// "address", "segment_age".
[[nodiscard]] std::string_view free_block_order_name(FreeBlockOrder order);

/// The settings that decide where blocks go.
struct AllocatorSettings {
  bool expandable_segments = false;
  /// Whether private pools grow by pages, too, where expandable_segments is on: from PyTorch 2.5 on (pytorch#128068).
  bool private_pools_expand = false;
  std::uint64_t max_split_bytes = kNoSplitLimit;
  /// `roundup_power2_divisions` for requests from 1, 2, 4, ... MiB; 0 or 1: none.
  std::array<std::uint64_t, 16> roundup_divisions{};
  FreeBlockOrder free_block_order = FreeBlockOrder::address; ///< not read from the file: see Fidelity
  bool collects_garbage = false; ///< garbage_collection_threshold is set, which the model does not follow

  /// Whether new memory of this pool is mapped by pages.
  [[nodiscard]] bool expands(const PoolId& pool) const {
    return expandable_segments && (private_pools_expand || !pool.is_private());
  }
  /// Whether some requests are rounded up further than to 512 bytes.
  [[nodiscard]] bool rounds_up() const;
};

/// Returns the settings in a recording's `allocator_settings`, with defaults for those that are missing. Whether
/// private pools can be expanded follows from `segments`, else from keys that only newer files have.
[[nodiscard]] AllocatorSettings allocator_settings(const Recording& recording, std::span<const Segment> segments);
[[nodiscard]] AllocatorSettings allocator_settings(const MemoryState& state);

/// Returns the rounded size of a request. The `size` of an oom event is rounded already.
[[nodiscard]] std::uint64_t rounded_request(const AllocatorSettings& settings, std::uint64_t bytes);
/// The least that a request can have been which became so many bytes.
[[nodiscard]] std::uint64_t smallest_request_bytes(const AllocatorSettings& settings, std::uint64_t rounded_bytes);
/// Returns the size of the segment that the allocator asks the device for if no cached block fits a rounded request;
/// without expandable segments.
[[nodiscard]] std::uint64_t new_segment_bytes(std::uint64_t rounded_bytes);
/// Returns the bytes that the device must supply for a rounded request if no cached memory can hold a part of it: a
/// segment, or pages.
[[nodiscard]] std::uint64_t needed_alone_bytes(const AllocatorSettings& settings, std::uint64_t rounded_bytes,
                                               const PoolId& pool);
/// Returns the page size of an expandable segment.
[[nodiscard]] inline std::uint64_t page_bytes(bool is_small) {
  return is_small ? kSmallSegmentBytes : kLargeSegmentBytes;
}
/// `segment_type`; where the file has none, by the size: that of a small segment, or, of an expandable one, no multiple
/// of large pages.
[[nodiscard]] bool is_small_segment(const Segment& segment);
/// Returns the bytes of free memory from `begin` to `end`, offsets into `segment`, that the allocator can return to
/// the device: whole pages of an expandable segment, all or nothing of others.
[[nodiscard]] std::uint64_t releasable_bytes(const Segment& segment, std::uint64_t begin, std::uint64_t end);

} // namespace memviz
