#pragma once

// The sum of what lives at a state of a scrub, and its distance from the accounts.

#include "memviz/scrub.hpp"

#include <cstdint>

namespace memviz::test {

/// The bytes of all that lives where the scrub is.
inline std::uint64_t bytes_of(const Scrub& scrub) {
  std::uint64_t bytes = 0;
  scrub.for_each_live([&](std::uint32_t index) { bytes += scrub.life(index).size_bytes; });
  return bytes;
}

/// The bytes that lives have and the accounts do not: frees that name another size than their allocs.
inline std::int64_t corrections_until(const DeviceRecord& record, std::uint32_t state) {
  std::int64_t bytes = 0;
  for (const auto& [from, correction] : record.corrections)
    bytes += from <= state ? correction : 0;
  return bytes;
}

} // namespace memviz::test
