#pragma once

// A snapshot of a process on a made-up GPU (rehearsal/gpu) -> the same, marked, so that it is never taken for a
// real one.

#include <cstdint>
#include <optional>
#include <string>

namespace memviz::capture {

/// Written as the dict `memviz_rehearsal` at the top of a snapshot.
struct RehearsalMark {
  std::string gpu;               ///< the device's name
  std::string profile;           ///< "h100-80", or the path of a profile
  std::uint64_t total_bytes = 0; ///< the memory of device 0; 0: unknown
};

/// Returns nullopt if libmemviz_rehearsal.so is not in the process.
[[nodiscard]] std::optional<RehearsalMark> rehearsal_of_process();

/// Adds the mark to the keys of the dict that `pickle` holds. The pickle's protocol is at least 2.
void add_rehearsal_mark(const RehearsalMark& mark, std::string& pickle);

} // namespace memviz::capture
