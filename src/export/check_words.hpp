#pragma once

// What the text and the JSON of a CheckReport have in common.

#include "memviz/check.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

/// Of a file that is a snapshot.
[[nodiscard]] std::vector<std::string> warnings_of(const CheckReport& report);

/// What the snapshot has of one device.
struct DeviceCounts {
  std::uint64_t segments = 0;
  std::uint64_t blocks = 0;
  std::uint64_t events = 0;
};
[[nodiscard]] DeviceCounts device_counts(const Recording& recording, DeviceId device);

/// Who wrote the file, by the traces that each writer leaves in it.
[[nodiscard]] std::string writer_text(const CheckReport& report);

} // namespace memviz
