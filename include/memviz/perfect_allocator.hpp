#pragma once

// A device at a moment -> the need of the best of all allocators, which bounds what any setting can save.

#include "memviz/device_state.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

struct PerfectAllocator {
  /// The highest requested bytes up to the moment, which must be held at once by any allocator. At an out-of-memory
  /// error, what was requested then and asked for, if that is more.
  std::uint64_t needed_bytes = 0;
  std::uint64_t available_bytes = 0; ///< reserved at the moment; at such an error also what was free on the device

  [[nodiscard]] bool is_enough() const { return needed_bytes <= available_bytes; }
};

/// `device_free_bytes` is what the device had beyond reserved memory when a request failed: without it nothing is known
/// of such a moment. Returns nullopt for host memory, for segments that are made up, without events or reserved memory,
/// where the accounts do not balance, for a moment before the peak, whose own peak is unknown, and where memory was
/// returned since the peak.
[[nodiscard]] std::optional<PerfectAllocator> perfect_allocator(const DeviceState& device,
                                                                std::optional<std::uint64_t> device_free_bytes = {});

} // namespace memviz
