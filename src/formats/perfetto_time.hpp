#pragma once

// Microseconds -> the times of a trace for Perfetto, which counts nanoseconds.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace memviz {

constexpr std::int64_t kNanosOfMicro = 1000;

[[nodiscard]] inline std::uint64_t perfetto_nanos(std::int64_t time_us) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kNanosOfMicro;
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(time_us, 0, kMost) * kNanosOfMicro);
}

} // namespace memviz
