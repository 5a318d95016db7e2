#pragma once

// Whether this process runs on a made-up GPU (capture/rehearsal), whose recordings must never be taken for real ones.

#include <cstdint>
#include <optional>
#include <string>

namespace memviz::capture {

/// Written as `memviz_rehearsal`, at the top of a snapshot and in its settings.
struct RehearsalMark {
  std::string gpu;               ///< the device's name
  std::string profile;           ///< "h100-80", or the path of a profile
  std::uint64_t total_bytes = 0; ///< of device 0; 0: not known
};

/// nullopt where libmemviz_rehearsal.so is not in the process.
[[nodiscard]] std::optional<RehearsalMark> rehearsal_of_process();

} // namespace memviz::capture
