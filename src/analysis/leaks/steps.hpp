#pragma once

// The events of a device -> where its steps begin: as declared, at annotations, or at the turns of a loop.

#include "analysis/leaks/passes.hpp"
#include "analysis/leaks/step_marks.hpp"
#include "memviz/leaks.hpp"

namespace memviz {

/// Throws UsageError where the choice names an annotation, of which no device has a step: every device would look as if
/// it had none.
void check_annotation(const Recording& recording, const StepChoice& choice);

class StepFinder {
public:
  /// `recording` must outlive this object.
  StepFinder(const Recording& recording, const StepChoice& choice);

  /// Throws UsageError where the choice needs times that the events do not have.
  [[nodiscard]] Steps steps_of(DeviceId device);

private:
  [[nodiscard]] Steps found(DeviceId device);
  /// The steps at the best marks; a guess where no marks have a forward and a backward pass in each step.
  [[nodiscard]] Steps found_by_marks(DeviceId device, const std::vector<PassChange>& changes);

  const Recording& recording_;
  StepChoice choice_;
  StepMarks marks_;
  PassFinder passes_;
};

} // namespace memviz
