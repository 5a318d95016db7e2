#pragma once

// The annotations of one device, as they were made.

#include "memviz/snapshot.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace memviz {

/// In order of time; equal times in the order of the file. They point into `snapshot`.
[[nodiscard]] inline std::vector<const Annotation*> annotations_of(const Snapshot& snapshot, std::uint32_t device) {
  std::vector<const Annotation*> annotations;
  for (const Annotation& annotation : snapshot.annotations)
    if (annotation.device == device) annotations.push_back(&annotation);
  std::stable_sort(annotations.begin(), annotations.end(),
                   [](const Annotation* left, const Annotation* right) { return left->time_us < right->time_us; });
  return annotations;
}

} // namespace memviz
