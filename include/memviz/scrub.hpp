#pragma once

// DeviceRecord -> the allocations that are live at any of its states, for a page that steps through a recording. A step
// to the next state takes as long as its changes, and a jump at most as long as the way from the nearest checkpoint.
// Checkpoints are made once.

#include "memviz/timeline.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

class Scrub {
public:
  /// The minimum number of states between two checkpoints.
  static constexpr std::uint32_t kLeastDistance = 16384;

  /// Starts at state 0. `record` must outlive this object. Uses 17 bytes per allocation, and at most 4 per state; while
  /// it is made, some 30 more for each different address.
  explicit Scrub(const DeviceRecord& record, std::uint32_t least_distance = kLeastDistance);

  /// Goes to a state, at most DeviceRecord::events.
  void go(std::uint32_t state);
  /// Goes to the next state, which must exist.
  void step();
  [[nodiscard]] std::uint32_t state() const { return now_.state; }

  /// Returns the number of all allocations: the recorded ones, then DeviceRecord::freed_baseline, then kept_baseline.
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(index_at_.size()); }
  [[nodiscard]] const Life& life(std::uint32_t index) const;
  /// Returns the kind of an allocation; unknown if the record has no kinds.
  [[nodiscard]] KindOf kind(std::uint32_t index) const;

  [[nodiscard]] std::uint32_t live_count() const { return live_count_; }
  [[nodiscard]] bool is_live(std::uint32_t index) const { return has_bit(rank_of_[index]); }
  /// Calls `take` with the index of each live allocation, by address.
  template <class Take> void for_each_live(const Take& take) const {
    for (std::size_t word = 0; word < live_.size(); ++word)
      for (std::uint64_t bits = live_[word]; bits != 0; bits &= bits - 1)
        take(index_at_[word * kBits + static_cast<std::size_t>(std::countr_zero(bits))]);
  }

  /// Calls `take` with the index of each allocation that began or ended with the event before this state, and whether
  /// it began.
  template <class Take> void for_each_change(const Take& take) const {
    for (std::uint32_t i = now_.next_end; i > 0 && life(ends_[i - 1]).end == now_.state; --i)
      take(ends_[i - 1], false);
    for (std::uint32_t i = now_.next_begin; i > 0 && record_.lives[i - 1].begin == now_.state; --i)
      take(i - 1, true);
  }

  /// Calls `take` with the index of each allocation that is live in exactly one of two states, `before` < `after`, and
  /// whether it is live in the later one. The current state stays as it is.
  template <class Take> void for_each_difference(std::uint32_t before, std::uint32_t after, const Take& take) const {
    const auto first = std::partition_point(record_.lives.begin(), record_.lives.end(),
                                            [&](const Life& one) { return one.begin <= before; });
    for (auto one = first; one != record_.lives.end() && one->begin <= after; ++one)
      if (one->end > after) take(static_cast<std::uint32_t>(one - record_.lives.begin()), true);
    auto end = std::partition_point(ends_.begin(), ends_.end(),
                                    [&](std::uint32_t index) { return life(index).end <= before; });
    for (; end != ends_.end() && life(*end).end <= after; ++end)
      if (life(*end).begin <= before) take(*end, false);
  }

  /// Returns the allocations at the address of `index`, in the order of their lives: at most `most` before it, itself,
  /// and at most `most` after it.
  [[nodiscard]] std::vector<std::uint32_t> at_its_address(std::uint32_t index, std::size_t most) const;
  /// Returns the allocation of that name, the one at `address` with this many before it; nullopt if there is none.
  [[nodiscard]] std::optional<std::uint32_t> named(std::uint64_t address, std::uint64_t earlier_uses) const;
  /// Returns the allocation that begins at `address` and is live in a state; nullopt if there is none.
  [[nodiscard]] std::optional<std::uint32_t> living_at(std::uint64_t address, std::uint32_t state) const;
  /// Returns the number of earlier allocations at its address in the trace: the number in "b7f064c000000_0".
  [[nodiscard]] std::uint32_t earlier_uses(std::uint32_t index) const;

private:
  static constexpr std::size_t kBits = 64;

  struct Position {
    std::uint32_t state = 0;
    std::uint32_t next_begin = 0; ///< of the recorded allocations
    std::uint32_t next_end = 0;   ///< index into ends_
  };
  struct Checkpoint {
    Position position;
    std::vector<std::uint32_t> live; ///< by rank
  };

  [[nodiscard]] bool has_bit(std::uint32_t rank) const { return (live_[rank / kBits] >> (rank % kBits) & 1U) != 0; }
  /// Returns the rank of the first allocation there; the number of all if there is none.
  [[nodiscard]] std::uint32_t first_rank_at(std::uint64_t address) const;
  /// Returns the first state that shows an allocation: events show when a recorded one began, and for the baseline only
  /// when it ended.
  [[nodiscard]] std::uint32_t known_from(std::uint32_t index) const;
  void begin(std::uint32_t index);
  void end(std::uint32_t index);
  void step_back();
  void keep_checkpoint();
  void restore(const Checkpoint& checkpoint);
  [[nodiscard]] const Checkpoint& nearest(std::uint32_t state) const;

  const DeviceRecord& record_;
  std::vector<std::uint32_t> index_at_; ///< by rank: all allocations by address, then in order of their lives
  std::vector<std::uint32_t> rank_of_;  ///< by index
  std::vector<std::uint32_t> ends_;     ///< the indices of allocations that end, by end
  std::vector<std::uint64_t> live_;     ///< one bit per rank
  std::uint32_t live_count_ = 0;
  Position now_;
  std::vector<Checkpoint> checkpoints_; ///< ascending; the first is of state 0
};

} // namespace memviz
