#pragma once

// The steps of a recording -> what grows from one to the next.

#include "analysis/explain/line_names.hpp"
#include "memviz/explain.hpp"

#include <optional>

namespace memviz {

/// Returns nullopt if no steps are annotated, if growth is not certain, or if the growth over all steps is less than a
/// twentieth of live memory.
[[nodiscard]] std::optional<StepLeak> step_leak(const MemoryState& state, const DeviceState& device_state,
                                                LineNames& names);

} // namespace memviz
