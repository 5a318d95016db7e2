// Free ranges of addresses, handed out lowest or highest first, so that the same program gets the same addresses in
// every run.
#pragma once

#include "numbers.hpp"

#include <cstdint>
#include <map>
#include <optional>

namespace memviz::rehearsal {

class FreeRanges {
public:
  FreeRanges(std::uint64_t begin, std::uint64_t bytes) : ranges_{{begin, bytes}} {}

  // Returns the lowest address with `bytes` free, a multiple of `alignment_bytes`; nullopt if there is none.
  std::optional<std::uint64_t> take(std::uint64_t bytes, std::uint64_t alignment_bytes) {
    for (auto range = ranges_.begin(); range != ranges_.end(); ++range) {
      const std::uint64_t begin = range->first;
      const std::uint64_t end = begin + range->second;
      const std::uint64_t address = round_up(begin, alignment_bytes);
      if (address > end || end - address < bytes) continue;
      cut(begin, range->second, address, bytes);
      return address;
    }
    return std::nullopt;
  }

  // Returns the highest such address.
  std::optional<std::uint64_t> take_highest(std::uint64_t bytes, std::uint64_t alignment_bytes) {
    for (auto range = ranges_.rbegin(); range != ranges_.rend(); ++range) {
      const auto [begin, range_bytes] = *range;
      if (range_bytes < bytes) continue;
      const std::uint64_t address = (begin + range_bytes - bytes) / alignment_bytes * alignment_bytes;
      if (address < begin) continue;
      cut(begin, range_bytes, address, bytes);
      return address;
    }
    return std::nullopt;
  }

  void give_back(std::uint64_t address, std::uint64_t bytes) {
    const auto after = ranges_.lower_bound(address);
    if (after != ranges_.end() && after->first == address + bytes) {
      bytes += after->second;
      ranges_.erase(after);
    }
    const auto next = ranges_.lower_bound(address);
    if (next != ranges_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == address) {
        before->second += bytes;
        return;
      }
    }
    ranges_[address] = bytes;
  }

  // Whether all of [begin, begin + bytes) is free.
  [[nodiscard]] bool is_free(std::uint64_t begin, std::uint64_t bytes) const {
    auto range = ranges_.upper_bound(begin);
    if (range == ranges_.begin()) return false;
    --range;
    return begin - range->first <= range->second && range->second - (begin - range->first) >= bytes;
  }

private:
  // Removes [address, address + bytes) from the range at `begin`.
  void cut(std::uint64_t begin, std::uint64_t range_bytes, std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t end = begin + range_bytes;
    ranges_.erase(begin);
    if (address > begin) ranges_[begin] = address - begin;
    if (address + bytes < end) ranges_[address + bytes] = end - address - bytes;
  }

  std::map<std::uint64_t, std::uint64_t> ranges_; // begin, bytes
};

} // namespace memviz::rehearsal
