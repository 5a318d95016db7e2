#pragma once

// The live bytes at a state of a scrub, and their difference from the accounts.

#include "memviz/scrub.hpp"

#include <cstdint>

namespace memviz::test {

/// Returns the live bytes at the scrub's state.
inline std::uint64_t bytes_of(const Scrub& scrub) {
  std::uint64_t bytes = 0;
  scrub.for_each_live([&](std::uint32_t index) { bytes += scrub.life(index).size_bytes; });
  return bytes;
}

/// Returns the bytes that lives have and the accounts do not: frees whose size differs from their allocs'.
inline std::int64_t corrections_until(const DeviceRecord& record, std::uint32_t state) {
  std::int64_t bytes = 0;
  for (const auto& [from, correction] : record.corrections)
    bytes += from <= state ? correction : 0;
  return bytes;
}

} // namespace memviz::test
