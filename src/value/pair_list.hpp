#pragma once

// The items of a dict without a shape: in file order, and found by key in constant time however many they are, because
// a file may refer to one dict of a million keys a million times.

#include "base/hash_table.hpp"
#include "value/value.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

class PairList {
public:
  void add(Value key, Value value) {
    items_.emplace_back(key, value);
    if (items_.size() > kFewItems) index_latest();
  }
  [[nodiscard]] std::span<const std::pair<Value, Value>> items() const { return items_; }
  /// Returns the value of a key; of a repeated key the last one, as in Python; Kind::unset if there is none.
  [[nodiscard]] Value find(Value key) const;

private:
  /// The number of items that are searched linearly.
  static constexpr std::size_t kFewItems = 16;

  void index_latest();
  void enter(std::size_t position);

  std::vector<std::pair<Value, Value>> items_;
  HashTable<std::uint32_t, 4 * kFewItems> table_; ///< positions + 1; empty for few items
};

} // namespace memviz
