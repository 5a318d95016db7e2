#pragma once

// The progress of a long step -> the line that a terminal shows.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace memviz {

struct Pace {
  std::string name = {};         ///< of the file
  std::string_view step = {};    ///< "reading", "decoding"
  std::uint64_t done_bytes = 0;  ///< of this step
  std::uint64_t total_bytes = 0; ///< 0: unknown
  double seconds = 0;            ///< since this step began
};

/// Returns the step, percent, MB/s, the time left and the file's name, as much as fits in `columns`; nothing fits in
/// fewer than two.
[[nodiscard]] std::string progress_line(const Pace& pace, std::size_t columns);

} // namespace memviz
