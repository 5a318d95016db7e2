#pragma once

// The events of a device -> where its steps begin: as declared, at annotations, or at the turns of a loop.

#include "analysis/leaks/step_marks.hpp"
#include "memviz/leaks.hpp"

namespace memviz {

class StepFinder {
public:
  /// `snapshot` must outlive this object.
  StepFinder(const Recording& recording, const StepChoice& choice);

  /// Throws UsageError where the choice needs times that the events do not have.
  [[nodiscard]] Steps steps_of(DeviceId device);

private:
  [[nodiscard]] Steps found(DeviceId device);
  [[nodiscard]] std::string note_of(const Steps& steps) const;

  const Recording& recording_;
  StepChoice choice_;
  StepMarks marks_;
};

} // namespace memviz
