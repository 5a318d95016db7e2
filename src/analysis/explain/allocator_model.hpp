#pragma once

// A model of PyTorch's caching allocator on one device: what it would have reserved, and whether a request would have
// fit, under other settings than the recorded ones. It follows c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.0
// to 2.15: best fit by pool, stream and size class, splitting, merging, segments, expandable segments, release of
// cached memory before a request fails. Not modelled: garbage collection (garbage_collection_threshold), which takes a
// memory limit that no snapshot records.

#include "base/number_map.hpp"
#include "memviz/allocator_settings.hpp"
#include "memviz/memory_map.hpp"

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

/// Identifies where a block belongs. Blocks of different keys never share a segment.
struct PoolKey {
  PoolId pool;
  std::int64_t stream = 0;
  bool is_small = false;
  friend auto operator<=>(const PoolKey&, const PoolKey&) = default;
};

class AllocatorModel {
public:
  using Handle = std::uint32_t;

  /// `limit_bytes`: the maximum for all segments together.
  explicit AllocatorModel(AllocatorSettings settings,
                          std::uint64_t limit_bytes = std::numeric_limits<std::uint64_t>::max())
      : settings_(std::move(settings)), limit_bytes_(limit_bytes) {}

  /// Adds a segment with its blocks, in ascending order of addresses; `key` is where it belongs. Returns the handles of
  /// the blocks, in their order; those of inactive blocks are meaningless. `unmapped_bytes`: for an expandable segment,
  /// pages before it that were mapped once.
  std::vector<Handle> adopt(const Segment& segment, std::span<const Block> blocks, const PoolKey& key,
                            std::uint64_t unmapped_bytes = 0);

  /// Allocates requested bytes. Returns nullopt if neither a cached block nor the device has room.
  [[nodiscard]] std::optional<Handle> alloc(std::uint64_t bytes, std::int64_t stream, const PoolId& pool);
  /// Frees the block of a handle that alloc() or adopt() returned, once.
  void free(Handle handle);
  /// Returns wholly free segments and pages to the device, from the default pools and from abandoned pools, as PyTorch
  /// does in empty_cache() and before a request fails.
  void release_cached();
  /// Returns this one segment if it is wholly free; returns whether it was.
  bool release_segment(std::uint64_t address, std::uint64_t bytes, const PoolId& pool, std::int64_t stream);
  /// Marks a private pool as unused because its graph was destroyed. An allocation in it unmarks it.
  void give_up(const PoolId& pool) { given_up_.insert(pool); }
  /// While a graph is captured, a request fails without any memory being released.
  void release_cache_before_failing(bool releases_cache) { releases_cache_ = releases_cache; }
  /// Returns the bytes that the device must supply for a request now, without releasing memory first; 0 if a free block
  /// serves it.
  [[nodiscard]] std::uint64_t needed_bytes(std::uint64_t bytes, std::int64_t stream, const PoolId& pool) const;
  /// Sets the address of the next segment, so that addresses, and therefore ties, are as recorded.
  void place_next_segment(std::uint64_t address) { next_segment_ = address; }

  [[nodiscard]] std::uint64_t reserved_bytes() const noexcept { return reserved_bytes_; }
  [[nodiscard]] std::uint64_t address(Handle handle) const { return pieces_[handle].address; }
  /// Returns the largest free run that a request of this kind could take without changes.
  [[nodiscard]] std::uint64_t largest_free_bytes(const PoolKey& key) const;

private:
  using PieceId = std::uint32_t;
  static constexpr PieceId kNone = std::numeric_limits<PieceId>::max();
  /// The address range of an expandable segment. PyTorch reserves 1 1/8 of the device's memory; the model's range never
  /// runs out.
  static constexpr std::uint64_t kRangeBytes = 1ULL << 50U;
  enum class Use : std::uint8_t { in_use, free, unmapped };

  struct Piece {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t base = 0; ///< of the expandable segment's address range
    std::uint64_t age = 0;  ///< the age of its segment or address range: smaller is older
    PieceId before = kNone;
    PieceId after = kNone;
    std::uint32_t shelf = 0;
    Use use = Use::in_use;
    bool is_expandable = false;
  };
  struct FreePiece {
    std::uint64_t bytes = 0;
    std::uint64_t age = 0; ///< 0 if the order is by address alone
    std::uint64_t address = 0;
    PieceId id = 0;
    friend auto operator<=>(const FreePiece&, const FreePiece&) = default;
  };
  /// All free memory of one key.
  struct Shelf {
    PoolKey key;
    std::set<FreePiece> free;
    std::set<std::pair<std::uint64_t, PieceId>> unmapped; ///< by address
    PieceId last_adopted = kNone;
  };

  std::uint32_t shelf_of(const PoolKey& key);
  /// Returns the age of a new segment or address range: 0 if ages are not used.
  std::uint64_t begin_segment(std::uint64_t address);
  PieceId add_piece(const Piece& piece);
  void remove_piece(PieceId id);
  [[nodiscard]] FreePiece as_free(PieceId id) const {
    return {pieces_[id].bytes, pieces_[id].age, pieces_[id].address, id};
  }
  void shelve(PieceId id);
  void unshelve(PieceId id);
  void link(PieceId before, PieceId after);
  /// Splits off the first `bytes`; returns the rest, which has the same use and is not shelved.
  PieceId split(PieceId id, std::uint64_t bytes);
  /// Merges a piece with neighbours of the same use. Does not shelve the result.
  void merge(PieceId id);
  void absorb_after(PieceId id);

  [[nodiscard]] PieceId find_free(const Shelf& shelf, std::uint64_t bytes) const;
  [[nodiscard]] std::set<FreePiece>::const_iterator best_expandable(const Shelf& shelf,
                                                                    std::set<FreePiece>::const_iterator found) const;
  PieceId grow(std::uint32_t shelf, std::uint64_t bytes);
  PieceId grow_expandable(std::uint32_t shelf, std::uint64_t bytes);
  [[nodiscard]] PieceId expandable_candidate(const Shelf& shelf, std::uint64_t bytes) const;
  PieceId reserve_range(std::uint32_t shelf);
  bool map(PieceId id, std::uint64_t bytes);
  bool release_oversized(std::uint32_t shelf, std::uint64_t bytes);
  void release_shelf(Shelf& shelf);
  [[nodiscard]] bool is_whole(PieceId id) const {
    return !pieces_[id].is_expandable && pieces_[id].before == kNone && pieces_[id].after == kNone;
  }
  void release_whole(PieceId id);
  void unmap(PieceId id);
  void take(PieceId id, std::uint64_t bytes);
  std::uint64_t place(std::uint64_t bytes);

  /// The remaining steps of linear searches, so that no file makes the time quadratic; when they are used up, searches
  /// find nothing.
  [[nodiscard]] bool spend(std::uint64_t steps) const {
    constexpr std::uint64_t kMostSearchSteps = 1ULL << 28U;
    steps_ += steps;
    return steps_ <= kMostSearchSteps;
  }

  AllocatorSettings settings_;
  std::uint64_t limit_bytes_;
  bool releases_cache_ = true;
  std::set<PoolId> given_up_;
  mutable std::uint64_t steps_ = 0;
  std::uint64_t reserved_bytes_ = 0;
  std::uint64_t youngest_age_ = 0;
  NumberMap segment_ages_; ///< by address
  std::optional<std::uint64_t> next_segment_;
  std::uint64_t free_address_ = 1ULL << 62U; ///< above all addresses that devices use
  std::map<PoolKey, std::uint32_t> shelf_by_key_;
  std::vector<Shelf> shelves_;
  std::vector<Piece> pieces_;
  std::vector<PieceId> unused_;
};

} // namespace memviz
