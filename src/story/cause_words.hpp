#pragma once

// Causes -> the sentence that names each, and the advice against it.

#include "memviz/explain.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace memviz {

/// The memory that a cause is a part of.
struct CauseScope {
  std::uint64_t requested_bytes = 0; ///< in use
  std::uint64_t request_bytes = 0;   ///< of the request that failed
  std::uint64_t parameter_bytes = 0;
  std::uint64_t gradient_bytes = 0;
};
[[nodiscard]] CauseScope scope_of(const DeviceExplanation& device);

/// "forward common.py:23 ‹ validate eval.py:11": a line, the line that called the outermost module, and its caller; ""
/// without a line.
[[nodiscard]] std::string called_line_text(const FrameTable& frames, const CalledLine& called);

/// "Kept graphs: 1.51 GiB (67.0 %) of 26 earlier forward passes is still alive, ... Its largest line: forward
/// model.py:9."
[[nodiscard]] std::string cause_text(const FrameTable& frames, const CauseScope& scope, const Cause& cause);
/// Returns what to do about it; "" where other advice says it.
[[nodiscard]] std::string_view cause_advice(const Cause& cause);

/// Returns the causes that the answer names: at most three mistakes, if there are any, and after fragmentation alone a
/// pass that lacks_backward(); else the largest.
[[nodiscard]] std::span<const Cause> named_causes(const DeviceExplanation& device);
/// Whether a pass keeps a graph, and no backward pass has ever followed a call by the same lines.
[[nodiscard]] bool lacks_backward(const Cause& cause);
/// Whether memory in pieces is the first cause: the verdict of the request says it.
[[nodiscard]] bool leads_with_fragmentation(const DeviceExplanation& device);
/// Whether the first cause is one that a program of its kind need not have, so that neither a setting of the allocator
/// nor a single block is the answer.
[[nodiscard]] bool has_mistake(const DeviceExplanation& device);
/// Whether a change that lets the last request fit is worth advice: always at a moment without a failure; else not if
/// the program holds too much, and will ask for more after this request.
[[nodiscard]] bool is_request_the_problem(const DeviceExplanation& device);

} // namespace memviz
