#pragma once

// Bytes -> the sink's result for them. A trace looks up one per alloc event.

#include "base/hash_table.hpp"
#include "fast_reader/digest_guesses.hpp"
#include "value/value.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace memviz::fast_reader {

class DigestTable {
public:
  /// Returns null for bytes that were not added. `hash` is that of `bytes`.
  [[nodiscard]] const DigestedList* find(std::string_view bytes, std::uint64_t hash) const {
    const Slot* const slot =
        table_.find(hash, [&](const Slot& one) { return one.hash == hash && entries_[one.entry - 1].bytes == bytes; });
    return slot == nullptr ? nullptr : &entries_[slot->entry - 1];
  }

  /// Adds bytes that find() does not know, and keeps a copy of them. The result's address is stable.
  const DigestedList* add(std::string_view bytes, std::uint64_t hash, Value value) {
    Slot& slot = table_.place(
        hash, [](const Slot&) { return false; }, [](const Slot& one) { return one.hash; });
    entries_.push_back({std::string(bytes), value});
    table_.fill(slot, {hash, entries_.size()});
    return &entries_.back();
  }

private:
  struct Slot {
    std::uint64_t hash = 0;
    std::size_t entry = 0; ///< its number + 1; 0: free
    [[nodiscard]] bool is_free() const { return entry == 0; }
  };

  HashTable<Slot, 256> table_;
  std::deque<DigestedList> entries_;
};

} // namespace memviz::fast_reader
