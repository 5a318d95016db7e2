#pragma once

// The events of a device -> where its steps begin: as declared, at annotations, or at the turns of a loop.

#include "analysis/steps/passes.hpp"
#include "analysis/steps/step_marks.hpp"
#include "memviz/leaks.hpp"

namespace memviz {

/// Throws UsageError if the choice names an annotation that no device has steps of: otherwise every device would appear
/// to have none.
void check_annotation(const Recording& recording, const StepChoice& choice);

class StepFinder {
public:
  /// `recording` must outlive this object.
  StepFinder(const Recording& recording, const StepChoice& choice);

  /// Throws UsageError if the choice needs times that the events do not have.
  [[nodiscard]] Steps steps_of(DeviceId device);

private:
  [[nodiscard]] Steps found(DeviceId device);
  /// Returns the steps at the best marks; a guess if no marks have a forward and a backward pass in each step.
  [[nodiscard]] Steps found_by_marks(DeviceId device, const std::vector<PassChange>& changes);

  const Recording& recording_;
  StepChoice choice_;
  StepMarks marks_;
  PassFinder passes_;
};

} // namespace memviz
