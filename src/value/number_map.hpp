#pragma once

// 64-bit number -> 64 bits of value: the number of what is alive during a replay, the number of an entry of a pickle's
// memo. Open numbering in one flat array, because a replay does one insertion and one removal an allocation, millions
// of times.

#include "value/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

class NumberMap {
public:
  /// Sets the value of `number`; returns the one it had.
  std::optional<std::uint64_t> insert(std::uint64_t number, std::uint64_t value) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[find_slot(number)];
    if (slot.is_used) {
      const std::uint64_t previous = slot.value;
      slot.value = value;
      return previous;
    }
    slot = {number, value, true};
    ++used_;
    return std::nullopt;
  }

  /// Removes `number`; returns the value it had.
  std::optional<std::uint64_t> remove(std::uint64_t number) {
    if (slots_.empty()) return std::nullopt;
    std::size_t hole = find_slot(number);
    if (!slots_[hole].is_used) return std::nullopt;
    const std::uint64_t value = slots_[hole].value;
    // Close the gap: move back every follower whose home does not lie behind the hole.
    for (std::size_t next = (hole + 1) & mask(); slots_[next].is_used; next = (next + 1) & mask()) {
      const std::size_t home = home_of(slots_[next].number);
      if (((next - home) & mask()) >= ((next - hole) & mask())) {
        slots_[hole] = slots_[next];
        hole = next;
      }
    }
    slots_[hole].is_used = false;
    --used_;
    return value;
  }

  [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t number) const {
    if (slots_.empty()) return std::nullopt;
    const Slot& slot = slots_[find_slot(number)];
    return slot.is_used ? std::optional(slot.value) : std::nullopt;
  }
  [[nodiscard]] bool contains(std::uint64_t number) const { return find(number).has_value(); }
  [[nodiscard]] std::size_t size() const noexcept { return used_; }
  /// Calls `take` with each number and its value, in no order.
  template <class Take> void for_each(const Take& take) const {
    for (const Slot& slot : slots_)
      if (slot.is_used) take(slot.number, slot.value);
  }

private:
  struct Slot {
    std::uint64_t number = 0;
    std::uint64_t value = 0;
    bool is_used = false;
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::size_t home_of(std::uint64_t number) const {
    return static_cast<std::size_t>(mixed(secret_, number)) & mask();
  }
  [[nodiscard]] std::size_t find_slot(std::uint64_t number) const {
    std::size_t index = home_of(number);
    while (slots_[index].is_used && slots_[index].number != number)
      index = (index + 1) & mask();
    return index;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 8 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.is_used) slots_[find_slot(slot.number)] = slot;
    }
  }

  std::uint64_t secret_ = hash_secret();
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

} // namespace memviz
