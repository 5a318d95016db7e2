#pragma once

// The record of a timeline -> its steps of the training loop, if annotations mark them. Sizes are bytes.

#include "memviz/timeline.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

/// A step of a training loop.
struct TimelineStep {
  std::size_t number = 0;  ///< starts at 1, and includes the steps before the first event
  std::uint32_t begin = 0; ///< its first state
  std::uint64_t peak_bytes = 0;
  std::int64_t growth_bytes = 0; ///< live bytes at its end minus those before it
};

struct TimelineSteps {
  std::string name; ///< the annotation that begins them; "ProfilerStep#*" where it is numbered
  std::vector<TimelineStep> steps;
};

/// Returns the steps that begin within the window, one for each annotation that PyTorch or memviz writes once per step;
/// none if the file has fewer than three of these, or no times.
[[nodiscard]] TimelineSteps timeline_steps(const Recording& recording, const DeviceRecord& record, Window window);

} // namespace memviz
