#pragma once

// The annotations of one device, in order of time.

#include "memviz/recording.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace memviz {

/// Returns them ordered by time, then by their order in the file. They point into `recording`.
[[nodiscard]] inline std::vector<const Annotation*> annotations_of(const Recording& recording, DeviceId device) {
  std::vector<const Annotation*> annotations;
  for (const Annotation& annotation : recording.annotations)
    if (annotation.device == device) annotations.push_back(&annotation);
  std::ranges::stable_sort(
      annotations, [](const Annotation* left, const Annotation* right) { return left->time_us < right->time_us; });
  return annotations;
}

/// Returns the same for one device after another: sorts all annotations once.
class AnnotationsByDevice {
public:
  /// Points into `recording`.
  explicit AnnotationsByDevice(const Recording& recording) {
    sorted_.reserve(recording.annotations.size());
    for (const Annotation& annotation : recording.annotations)
      sorted_.push_back(&annotation);
    std::ranges::stable_sort(sorted_, [](const Annotation* left, const Annotation* right) {
      return left->device != right->device ? left->device < right->device : left->time_us < right->time_us;
    });
  }

  [[nodiscard]] std::span<const Annotation* const> of(DeviceId device) const {
    return {std::ranges::lower_bound(sorted_, device, {}, &Annotation::device),
            std::ranges::upper_bound(sorted_, device, {}, &Annotation::device)};
  }

private:
  std::vector<const Annotation*> sorted_;
};

} // namespace memviz
