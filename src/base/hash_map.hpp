#pragma once

// Keys -> values, in place of a standard container if a file chooses the keys: texts, numbers, ids. Pointers to values
// are valid until the next key is added.

#include "base/hash.hpp"
#include "base/hash_table.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace memviz {

template <class Key, class Value> class HashMap {
public:
  struct Entry {
    Key key{};
    [[no_unique_address]] Value value{};
    bool is_used = false;
    [[nodiscard]] bool is_free() const { return !is_used; }
  };
  struct Added {
    Value& value;
    bool is_new;
  };

  /// Returns the value of `key`, which may be of an equivalent type (std::string_view for std::string); null if there
  /// is none.
  template <class Like> [[nodiscard]] const Value* find(const Like& key) const {
    const Entry* const entry = table_.find(hash_of_key(key), [&](const Entry& one) { return one.key == key; });
    return entry == nullptr ? nullptr : &entry->value;
  }
  template <class Like> [[nodiscard]] bool contains(const Like& key) const { return find(key) != nullptr; }

  /// Returns the value of `key`, set to `value` if the key is new.
  template <class Like> Added add(const Like& key, Value value = {}) {
    Entry& entry = table_.place(
        hash_of_key(key), [&](const Entry& one) { return one.key == key; },
        [](const Entry& one) { return hash_of_key(one.key); });
    const bool is_new = entry.is_free();
    if (is_new) table_.fill(entry, {Key(key), std::move(value), true});
    return {entry.value, is_new};
  }
  template <class Like> Value& operator[](const Like& key) { return add(key).value; }

  [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  void clear() { table_ = {}; }
  /// Calls `take` with each key and its value, in an order that differs from run to run.
  template <class Take> void for_each(const Take& take) const {
    for (const Entry& entry : table_.slots())
      if (!entry.is_free()) take(entry.key, entry.value);
  }

private:
  template <class Like> [[nodiscard]] static std::uint64_t hash_of_key(const Like& key) {
    if constexpr (std::is_convertible_v<const Like&, std::string_view>)
      return hash_of(std::string_view(key));
    else if constexpr (std::is_pointer_v<Like>)
      return mixed(hash_secret(), reinterpret_cast<std::uintptr_t>(key));
    else
      return mixed(hash_secret(), static_cast<std::uint64_t>(key));
  }

  HashTable<Entry> table_;
};

struct NoValue {};
template <class Key> using HashSet = HashMap<Key, NoValue>;

} // namespace memviz
