#pragma once

// The blocks of a device -> which of them must be freed so that memory can return to the device. A segment returns when
// all of its blocks are free; in an expandable segment, each page returns separately. Kept up to date while blocks are
// freed and put back, in constant time per block.

#include "memviz/memory_map.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

class PinnedPages {
public:
  /// Omits pages of private pools, which are not returned while their graph exists.
  PinnedPages(const MemoryMap& state, DeviceId device);

  /// Blocks that together pin one page or segment, as a range of positions in blocks().
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };

  /// Returns the indices of blocks in use into the state's blocks, ascending within a segment.
  [[nodiscard]] std::span<const std::uint32_t> blocks() const { return blocks_; }
  /// Returns each block as a set, then each page and segment that several blocks pin.
  [[nodiscard]] std::vector<Group> groups() const;

  /// Frees the block at this position; returns the bytes that this makes returnable.
  std::uint64_t free(std::uint32_t position);
  /// Undoes that; returns the bytes that are no longer returnable.
  std::uint64_t restore(std::uint32_t position);
  [[nodiscard]] bool is_free(std::uint32_t position) const { return uses_[position].is_free; }
  /// Returns the bytes that can be returned to the device now.
  [[nodiscard]] std::uint64_t free_bytes() const { return free_bytes_; }

private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// A segment, or a page in which a block begins or ends.
  struct Page {
    std::uint64_t bytes = 0;
    std::uint32_t first = 0; ///< position of its first block
    std::uint32_t count = 0; ///< blocks in it
    std::uint32_t in_use = 0;
  };
  /// The pages of a block in use, of which only the first and the last can contain other blocks.
  struct Use {
    std::uint32_t first_page = kNone;
    std::uint32_t last_page = kNone; ///< kNone: the first one
    std::uint64_t own_bytes = 0;
    bool is_free = false;
  };

  void add_segment(const MemoryMap& state, const Segment& segment);
  void add_expandable(const MemoryMap& state, const Segment& segment);
  [[nodiscard]] std::uint32_t enter_page(std::uint64_t bytes, bool is_new);
  void add_free_runs(const MemoryMap& state, const Segment& segment);

  std::vector<std::uint32_t> blocks_;
  std::vector<Use> uses_;
  std::vector<Page> pages_;
  std::uint64_t free_bytes_ = 0;
};

} // namespace memviz
