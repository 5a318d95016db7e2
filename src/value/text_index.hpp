#pragma once

// Texts -> small numbers, each distinct text once. Open addressing in flat arrays: a file of nothing but short texts
// must not cost a hundred bytes for each.

#include "value/chunked_vector.hpp"
#include "value/hash.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memviz {

class TextIndex {
public:
  struct Added {
    std::uint64_t number;
    bool is_new;
  };

  /// The number of `text`, which must outlive the table if it is new.
  Added add(std::string_view text) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    const std::uint64_t hash = hash_of(text);
    std::size_t slot = hash & mask();
    for (; slots_[slot] != 0; slot = (slot + 1) & mask()) {
      if (is_same(slots_[slot], hash, text)) return {number_of(slots_[slot]), false};
    }
    slots_[slot] = entry(texts_.size(), hash);
    texts_.push_back(text);
    return {texts_.size() - 1, true};
  }

  /// The number of `text`, which must outlive the table, without looking at what it says: add() and find() do not know
  /// it.
  std::uint64_t add_unseen(std::string_view text) {
    texts_.push_back(text);
    return texts_.size() - 1;
  }

  [[nodiscard]] std::optional<std::uint64_t> find(std::string_view text) const {
    if (slots_.empty()) return std::nullopt;
    const std::uint64_t hash = hash_of(text);
    for (std::size_t slot = hash & mask(); slots_[slot] != 0; slot = (slot + 1) & mask()) {
      if (is_same(slots_[slot], hash, text)) return number_of(slots_[slot]);
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string_view operator[](std::uint64_t number) const { return texts_[number]; }

private:
  // An entry is the number + 1 below the highest bits of the hash, which spare most comparisons; 0 is free.
  static constexpr unsigned kNumberBits = 40;
  static constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kNumberBits) - 1;

  [[nodiscard]] static std::uint64_t entry(std::uint64_t number, std::uint64_t hash) {
    return (hash & ~kNumberMask) | (number + 1);
  }
  [[nodiscard]] static std::uint64_t number_of(std::uint64_t entry) { return (entry & kNumberMask) - 1; }
  [[nodiscard]] bool is_same(std::uint64_t entry, std::uint64_t hash, std::string_view text) const {
    return ((entry ^ hash) & ~kNumberMask) == 0 && texts_[number_of(entry)] == text;
  }
  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  void grow() {
    std::vector<std::uint64_t> old(slots_.empty() ? 256 : 2 * slots_.size(), 0);
    old.swap(slots_);
    for (const std::uint64_t known : old) {
      if (known == 0) continue;
      const std::uint64_t hash = hash_of(texts_[number_of(known)]);
      std::size_t slot = hash & mask();
      while (slots_[slot] != 0)
        slot = (slot + 1) & mask();
      slots_[slot] = entry(number_of(known), hash);
    }
  }

  std::vector<std::uint64_t> slots_;
  ChunkedVector<std::string_view, 12> texts_;
};

} // namespace memviz
