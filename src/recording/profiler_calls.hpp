#pragma once

// The calls of a trace -> those that ran at each of its memory events: its stack.

#include "recording/profiler_events.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The index of a node in ProfilerStacks::nodes.
inline constexpr std::uint32_t kNoCall = std::numeric_limits<std::uint32_t>::max();

/// Stacks as paths of one tree: calls of one name from one node are one node.
struct ProfilerStacks {
  struct Node {
    Value name;
    std::uint32_t caller = kNoCall;
  };
  std::vector<Node> nodes;
  std::vector<std::uint32_t> of_event; ///< by memory event: the innermost call; kNoCall if none ran
};

/// Returns the stack of each memory event: the calls that ran then on its thread.
[[nodiscard]] ProfilerStacks profiler_stacks(const ProfilerEvents& events);

/// A call as a frame of a snapshot.
struct ProfilerFrame {
  std::string name;
  std::string file; ///< "" for operators
  std::uint64_t line = 0;
};

/// Parses "train.py(12): step", "aten::mm", "<built-in method randn of type object at 0x7f5e>", whose address it omits,
/// "autograd::engine::evaluate_function: MulBackward0", which is MulBackward0 as what it calls is.
/// Returns the file of a package below "/site-packages/": the profiler writes "torch/nn/modules/linear.py".
[[nodiscard]] ProfilerFrame profiler_frame(std::string_view call);

} // namespace memviz
