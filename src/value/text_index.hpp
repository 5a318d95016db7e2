#pragma once

// Texts -> small numbers, each distinct text once, in few bytes: a file of only short texts must not cost a hundred
// bytes for each.

#include "base/hash.hpp"
#include "base/hash_table.hpp"
#include "value/chunked_vector.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace memviz {

class TextIndex {
public:
  struct Added {
    std::uint64_t number;
    bool is_new;
  };

  /// Returns the number of `text`, which must outlive the table if it is new.
  Added add(std::string_view text) {
    const std::uint64_t hash = hash_of(text);
    std::uint64_t& slot = table_.place(
        hash, [&](std::uint64_t known) { return is_same(known, hash, text); },
        [this](std::uint64_t known) { return hash_of((*this)[number_of(known)]); });
    if (slot != 0) return {number_of(slot), false};
    table_.fill(slot, entry(texts_.size(), hash));
    texts_.push_back(text);
    return {texts_.size() - 1, true};
  }

  /// Adds `text`, which must outlive the table, without examining it, and returns its number: add() and find() do not
  /// know it.
  std::uint64_t add_unseen(std::string_view text) {
    texts_.push_back(text);
    return texts_.size() - 1;
  }

  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view text) const {
    const std::uint64_t hash = hash_of(text);
    const std::uint64_t* const slot =
        table_.find(hash, [&](std::uint64_t known) { return is_same(known, hash, text); });
    return slot == nullptr ? std::nullopt : std::optional(number_of(*slot));
  }

  [[nodiscard]] std::string_view operator[](std::uint64_t number) const {
    return texts_[static_cast<std::size_t>(number)];
  }

private:
  // An entry is the number + 1 below the highest bits of the hash, which save most comparisons; 0 is free.
  static constexpr unsigned kNumberBits = 40;
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kNumberBits) - 1;

  [[nodiscard]] static std::uint64_t entry(std::uint64_t number, std::uint64_t hash) {
    return (hash & ~kNumberMask) | (number + 1);
  }
  [[nodiscard]] static std::uint64_t number_of(std::uint64_t entry) { return (entry & kNumberMask) - 1; }
  [[nodiscard]] bool is_same(std::uint64_t entry, std::uint64_t hash, std::string_view text) const {
    return ((entry ^ hash) & ~kNumberMask) == 0 && (*this)[number_of(entry)] == text;
  }

  HashTable<std::uint64_t, 256> table_;
  ChunkedVector<std::string_view, 12> texts_;
};

} // namespace memviz
