#pragma once

// The records of a recording on the CPU -> events, segments and stacks of a snapshot.

#include "annotations.hpp"
#include "cpu_allocator_watch.hpp"
#include "cpu_history.hpp"
#include "recorder.hpp"

#include <vector>

namespace memviz::capture {

/// Operators' frames have the file name "operator" and line 0, and stand where the operator begins: just inside the
/// native frame that called it (`at::_ops::mm::call` for "aten::mm", `...::apply` for a backward node). So nothing of
/// either stack is lost, and a tree can be read by operator or by function. Without native frames they are the stack.
[[nodiscard]] SnapshotData make_cpu_snapshot(const CpuHistory& history, std::vector<LiveAllocation> live,
                                             const RecordingOptions& options);

} // namespace memviz::capture
