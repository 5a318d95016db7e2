#pragma once

// 64-bit number -> 64 bits of value: the number of a live allocation during a replay, the number of an entry of a
// pickle's memo. A replay does one insertion and one removal per allocation, millions of times.

#include "base/hash.hpp"
#include "base/hash_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace memviz {

class NumberMap {
public:
  /// Sets the value of `number`; returns the one it had.
  std::optional<std::uint64_t> insert(std::uint64_t number, std::uint64_t value) {
    Slot& slot = table_.place(home_of(number), Is{number}, HomeOf{secret_});
    if (slot.is_used) return std::exchange(slot.value, value);
    table_.fill(slot, {number, value, true});
    return std::nullopt;
  }

  /// Removes `number`; returns the value it had.
  std::optional<std::uint64_t> remove(std::uint64_t number) {
    const Slot* const slot = table_.find(home_of(number), Is{number});
    if (slot == nullptr) return std::nullopt;
    const std::uint64_t value = slot->value;
    table_.remove(*slot, HomeOf{secret_});
    return value;
  }

  [[nodiscard]] std::optional<std::uint64_t> find(std::uint64_t number) const {
    const Slot* const slot = table_.find(home_of(number), Is{number});
    return slot == nullptr ? std::nullopt : std::optional(slot->value);
  }
  [[nodiscard]] bool contains(std::uint64_t number) const { return find(number).has_value(); }
  [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
  /// Calls `take` with each number and its value, in no order.
  template <class Take> void for_each(const Take& take) const {
    for (const Slot& slot : table_.slots())
      if (slot.is_used) take(slot.number, slot.value);
  }

private:
  struct Slot {
    std::uint64_t number = 0;
    std::uint64_t value = 0;
    bool is_used = false;
    [[nodiscard]] bool is_free() const { return !is_used; }
  };
  struct Is {
    std::uint64_t number;
    [[nodiscard]] bool operator()(const Slot& slot) const { return slot.number == number; }
  };

  [[nodiscard]] std::uint64_t home_of(std::uint64_t number) const { return mixed(secret_, number); }
  struct HomeOf {
    std::uint64_t secret;
    [[nodiscard]] std::uint64_t operator()(const Slot& slot) const { return mixed(secret, slot.number); }
  };

  std::uint64_t secret_ = hash_secret();
  HashTable<Slot> table_;
};

} // namespace memviz
