#pragma once

// Hashes -> slots in one flat array, with open addressing: the base of every table of memviz. Callers define the slot,
// how its hash is recomputed and how keys are compared; their hashes use the secret of hash.hpp if the keys come from a
// file.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace memviz {

/// `Slot` is a number, where 0 means free, or has is_free(); a new one is free. `kFewest`, a power of two: the size of
/// a table that is not empty.
template <class Slot, std::size_t kFewest = 8> class HashTable {
public:
  [[nodiscard]] std::size_t size() const noexcept { return used_; }
  /// All slots, including free ones, in no particular order.
  [[nodiscard]] const std::vector<Slot>& slots() const noexcept { return slots_; }
  [[nodiscard]] static bool is_free(const Slot& slot) {
    if constexpr (std::integral<Slot>)
      return slot == 0;
    else
      return slot.is_free();
  }

  /// Returns the slot among those of `hash` for which `is` is true; null if there is none.
  template <class Is> [[nodiscard]] const Slot* find(std::uint64_t hash, const Is& is) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[index_of(hash, is)];
    return is_free(slot) ? nullptr : &slot;
  }
  template <class Is> [[nodiscard]] Slot* find(std::uint64_t hash, const Is& is) {
    return const_cast<Slot*>(std::as_const(*this).find(hash, is));
  }

  /// Returns the same, or the free slot to be filled with fill() before any other call. `hash_of` returns the hash of a
  /// slot in the table, which may grow here; that invalidates pointers to slots.
  template <class Is, class HashOf> [[nodiscard]] Slot& place(std::uint64_t hash, const Is& is, const HashOf& hash_of) {
    if (2 * (used_ + 1) > slots_.size()) grow(hash_of);
    return slots_[index_of(hash, is)];
  }
  void fill(Slot& free, Slot slot) {
    free = std::move(slot);
    ++used_;
  }

  template <class HashOf> void remove(const Slot& slot, const HashOf& hash_of) {
    auto hole = static_cast<std::size_t>(&slot - slots_.data());
    // Closes the gap: moves back every follower whose home does not lie after the hole.
    for (std::size_t next = (hole + 1) & mask(); !is_free(slots_[next]); next = (next + 1) & mask()) {
      const std::size_t home = static_cast<std::size_t>(hash_of(slots_[next])) & mask();
      if (((next - home) & mask()) >= ((next - hole) & mask())) {
        slots_[hole] = std::move(slots_[next]);
        hole = next;
      }
    }
    slots_[hole] = Slot();
    --used_;
  }

private:
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  template <class Is> [[nodiscard]] std::size_t index_of(std::uint64_t hash, const Is& is) const {
    std::size_t index = static_cast<std::size_t>(hash) & mask();
    while (!is_free(slots_[index]) && !is(slots_[index]))
      index = (index + 1) & mask();
    return index;
  }
  template <class HashOf> void grow(const HashOf& hash_of) {
    std::vector<Slot> old(slots_.empty() ? kFewest : 2 * slots_.size());
    old.swap(slots_);
    for (Slot& slot : old)
      if (!is_free(slot)) slots_[index_of(hash_of(slot), [](const Slot&) { return false; })] = std::move(slot);
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

} // namespace memviz
