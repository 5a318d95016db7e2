#pragma once

// A few bytes of a list -> a guess which list it is: comparing the rest is cheaper than decoding it opcode by opcode.
// One thread adds lists while others guess.

#include "value/value.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

namespace memviz::fast_reader {

/// A list of fetches without the opcode that ends it, and the sink's result for it.
struct DigestedList {
  std::string bytes;
  Value value;
};

class DigestGuesses {
public:
  /// Returns a list that may begin with `bytes`, or null.
  [[nodiscard]] const DigestedList* find(std::string_view bytes) const {
    for (const std::size_t window : kWindows) {
      if (bytes.size() < window + kWindowBytes) return nullptr;
      const DigestedList* const list = slots_[slot_of(bytes.data(), window)].load(std::memory_order_acquire);
      if (list != nullptr && bytes.starts_with(list->bytes)) return list;
    }
    return nullptr;
  }

  /// From now on `list` is found, instead of others whose windows look the same. It must outlive this.
  void add(const DigestedList& list) {
    for (const std::size_t window : kWindows) {
      if (list.bytes.size() < window + kWindowBytes) return;
      slots_[slot_of(list.bytes.data(), window)].store(&list, std::memory_order_release);
    }
  }

private:
  // Innermost frames come first. In files with only Python frames, the first ones distinguish lists; if C++ frames
  // precede them, those of the allocator and of an operator are the same in many lists.
  static constexpr std::array<std::size_t, 2> kWindows{0, 96};
  static constexpr std::size_t kWindowBytes = 48;
  static constexpr unsigned kSlotBits = 14;

  /// Returns the slot. Lists that are chosen to collide are merely decoded.
  [[nodiscard]] static std::size_t slot_of(const char* bytes, std::size_t window) {
    static constexpr std::array<std::uint64_t, kWindowBytes / 8> kFactors{0x9E3779B97F4A7C15ULL, 0xC2B2AE3D27D4EB4FULL,
                                                                          0x165667B19E3779F9ULL, 0xD6E8FEB86659FD93ULL,
                                                                          0xFF51AFD7ED558CCDULL, 0xC4CEB9FE1A85EC53ULL};
    std::uint64_t sum = window;
    for (std::size_t i = 0; i < kFactors.size(); ++i) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + window + 8 * i, sizeof word);
      sum += (word ^ word >> 32U) * kFactors[i];
    }
    return static_cast<std::size_t>((sum ^ sum << 7U) >> (64U - kSlotBits));
  }

  using Slot = std::atomic<const DigestedList*>;
  std::unique_ptr<Slot[]> slots_ = std::make_unique<Slot[]>(std::size_t{1} << kSlotBits);
};

} // namespace memviz::fast_reader
