#pragma once

// Bytes -> what a sink made of them. Open addressing in flat arrays: a trace asks once for each alloc event.

#include "stream/digest_guesses.hpp"
#include "value/value.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::stream {

class DigestTable {
public:
  /// Null for bytes that were not added. `hash` is that of `bytes`.
  [[nodiscard]] const DigestedList* find(std::string_view bytes, std::uint64_t hash) const {
    if (slots_.empty()) return nullptr;
    for (std::size_t i = hash & mask(); slots_[i].entry != 0; i = (i + 1) & mask()) {
      if (slots_[i].hash != hash) continue;
      const DigestedList& entry = entries_[slots_[i].entry - 1];
      if (entry.bytes == bytes) return &entry;
    }
    return nullptr;
  }

  /// For bytes that find() does not know; it keeps a copy of them. The result stays where it is.
  const DigestedList* add(std::string_view bytes, std::uint64_t hash, Value value) {
    if (2 * (entries_.size() + 1) > slots_.size()) grow();
    entries_.push_back({std::string(bytes), value});
    fill({hash, entries_.size()});
    return &entries_.back();
  }

private:
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t entry = 0; ///< its number + 1; 0: free
  };

  [[nodiscard]] std::size_t mask() const { return slots_.size() - 1; }
  void fill(const Slot& slot) {
    std::size_t i = slot.hash & mask();
    while (slots_[i].entry != 0)
      i = (i + 1) & mask();
    slots_[i] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 256 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.entry != 0) fill(slot);
    }
  }

  std::vector<Slot> slots_;
  std::deque<DigestedList> entries_;
};

} // namespace memviz::stream
