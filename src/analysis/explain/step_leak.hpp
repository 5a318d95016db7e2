#pragma once

// The steps of a recording -> what grows from one to the next, where memory ran out.

#include "analysis/explain/line_names.hpp"
#include "memviz/explain.hpp"

#include <optional>

namespace memviz {

/// Nothing where no steps are annotated, where it is not sure that something grows, or where over all of the steps that
/// comes to less than a twentieth of what is live.
[[nodiscard]] std::optional<StepLeak> step_leak(const MemoryState& state, const DeviceState& device_state,
                                                LineNames& names);

} // namespace memviz
