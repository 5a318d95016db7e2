#pragma once

// Puts the names of running operators into a native stack, where each operator begins.

#include "snapshot_data.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace memviz::capture {

/// Whether a native frame's `function` is where the operator `name` is entered: `at::_ops::mm::call(...)` for
/// "aten::mm"
/// (`mm_out::call` of an overload, too), `torch::autograd::generated::MmBackward0::apply(...)` for "MmBackward0",
/// `...Engine::evaluate_function(...)` for "autograd::engine::evaluate_function: MmBackward0".
[[nodiscard]] bool is_entry_of(const std::string& function, const std::string& name);

/// An operator's name and its frame.
struct OperatorFrame {
  const std::string* name = nullptr;
  std::uint32_t frame = 0;
};

/// `native` is innermost first, `operators` outermost first, the result innermost first. From the outside in, each
/// operator goes just inside the native frame that enters it. One without such a frame (its symbol is not exported)
/// goes just inside the operator before it; or, as the first, just outside the next that has one; or innermost of all.
[[nodiscard]] std::vector<std::uint32_t> merge_operators(const std::vector<std::uint32_t>& native,
                                                         std::span<const OperatorFrame> operators,
                                                         const std::vector<FrameData>& frames);

} // namespace memviz::capture
