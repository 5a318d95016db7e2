#pragma once

// The words that the text and the JSON of a CheckReport share.

#include "memviz/check.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

/// Returns the warnings of a file that is a snapshot.
[[nodiscard]] std::vector<std::string> warnings_of(const CheckReport& report);

/// The counts of one device in the snapshot.
struct DeviceCounts {
  std::uint64_t segments = 0;
  std::uint64_t blocks = 0;
  std::uint64_t events = 0;
};
[[nodiscard]] DeviceCounts device_counts(const Recording& recording, DeviceId device);

/// Returns the writer of the file, inferred from the traces that each leaves in it.
[[nodiscard]] std::string writer_text(const CheckReport& report);

} // namespace memviz
