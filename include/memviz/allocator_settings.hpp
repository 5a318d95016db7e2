#pragma once

// Settings of a recording -> the rules by which PyTorch's caching allocator serves a request. All sizes are bytes.
// Source: c10/cuda/CUDACachingAllocator.cpp, PyTorch 2.0 to 2.9; names of settings: AcceleratorAllocatorConfig and
// CUDAAllocatorConfig up to pytorch#192269 (2026).

#include "memviz/memory_state.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

inline constexpr std::uint64_t kMinBlockBytes = 512;              ///< every block size is a multiple of this
inline constexpr std::uint64_t kSmallRequestBytes = 1ULL << 20U;  ///< requests up to this size use the small pool
inline constexpr std::uint64_t kSmallSegmentBytes = 2ULL << 20U;  ///< size of segments, or of pages, of the small pool
inline constexpr std::uint64_t kLargeSegmentBytes = 20ULL << 20U; ///< size of medium segments, and of large pages

/// The value where max_split_size is not set.
inline constexpr std::uint64_t kNoSplitLimit = std::numeric_limits<std::uint64_t>::max();

/// The order in which the allocator considers free blocks of equal size. PyTorch 2.13 sorts them by the age of their
/// segment, then by address (BlockComparatorSizeCounterAddress; the counter is set when a segment is made, and blocks
/// split from it inherit it: pytorch#183591). Earlier versions sort by address alone (BlockComparatorSize). Files do
/// not record which applies.
enum class FreeBlockOrder : std::uint8_t { address, segment_age };

/// "address", "segment_age".
[[nodiscard]] std::string_view free_block_order_name(FreeBlockOrder order);

/// The settings that decide where blocks are placed.
struct AllocatorSettings {
  bool expandable_segments = false;
  /// Whether private pools also grow by pages when expandable_segments is on: since PyTorch 2.5 (pytorch#128068).
  bool private_pools_expand = false;
  std::uint64_t max_split_bytes = kNoSplitLimit;
  /// `roundup_power2_divisions` for requests from 1, 2, 4, ... MiB; 0 or 1 means no rounding.
  std::array<std::uint64_t, 16> roundup_divisions{};
  FreeBlockOrder free_block_order = FreeBlockOrder::address; ///< not read from the file: see Fidelity
  bool collects_garbage = false; ///< garbage_collection_threshold is set; the model ignores it
  /// `max_non_split_rounding_mb`: a block of max_split_bytes or more serves requests that are smaller by less than
  /// this.
  std::uint64_t oversize_slack_bytes = kLargeSegmentBytes;
  /// The settings in PYTORCH_CUDA_ALLOC_CONF that may change where blocks are placed, in a way that the model does not
  /// follow: unknown ones, and known ones that are not modelled. Printable, and few.
  std::vector<std::string> not_modelled = {};

  /// Whether the allocator maps new memory of this pool page by page.
  [[nodiscard]] bool expands(const PoolId& pool) const {
    return expandable_segments && (private_pools_expand || !pool.is_private());
  }
  /// Whether some requests are rounded to more than a multiple of 512 bytes.
  [[nodiscard]] bool rounds_up() const;
};

/// Returns the settings from a recording's `allocator_settings`, with defaults for missing ones. Whether private pools
/// can expand is inferred from `segments`, otherwise from keys that only newer files have.
[[nodiscard]] AllocatorSettings allocator_settings(const Recording& recording, std::span<const Segment> segments);
[[nodiscard]] AllocatorSettings allocator_settings(const MemoryState& state);

/// Returns the rounded size of a request. The `size` of an oom event is already rounded.
[[nodiscard]] std::uint64_t rounded_request(const AllocatorSettings& settings, std::uint64_t bytes);
/// The smallest request that rounds to this many bytes.
[[nodiscard]] std::uint64_t smallest_request_bytes(const AllocatorSettings& settings, std::uint64_t rounded_bytes);
/// Returns the size of the segment that the allocator requests from the device if no cached block fits a rounded
/// request, without expandable segments.
[[nodiscard]] std::uint64_t new_segment_bytes(std::uint64_t rounded_bytes);
/// Returns the bytes that the device must supply for a rounded request if no cached memory can hold any part of it: a
/// segment, or pages.
[[nodiscard]] std::uint64_t needed_alone_bytes(const AllocatorSettings& settings, std::uint64_t rounded_bytes,
                                               const PoolId& pool);
/// Returns the page size of an expandable segment.
[[nodiscard]] inline std::uint64_t page_bytes(bool is_small) {
  return is_small ? kSmallSegmentBytes : kLargeSegmentBytes;
}
/// Returns `segment_type`. Where the file has none, infers it from the size: a small segment has the small size, or, if
/// expandable, a size that is not a multiple of large pages.
[[nodiscard]] bool is_small_segment(const Segment& segment);
/// Returns the bytes of free memory from `begin` to `end`, offsets into `segment`, that the allocator can return to the
/// device: whole pages of an expandable segment; all or nothing of any other.
[[nodiscard]] std::uint64_t releasable_bytes(const Segment& segment, std::uint64_t begin, std::uint64_t end);

} // namespace memviz
