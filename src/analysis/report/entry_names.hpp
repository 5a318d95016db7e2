#pragma once

// The stack of an allocation -> the operation or module that made it, in the few words that a table has room for.

#include "memviz/flame.hpp"
#include "memviz/frames.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace memviz {

/// The maximum width of an entry's name.
inline constexpr std::size_t kMostEntryColumns = 200;

/// Returns the operator's name without the overload that at::_ops adds: "mul" of "mul_Tensor".
[[nodiscard]] std::string without_overload(std::string_view name);

/// Returns the operation of a stack: the outermost PyTorch operator (at::_ops, else torch::autograd::VariableType, else
/// at::native) between the allocator and Python, else the innermost function of torch.nn.functional, or file of
/// torch.nn.modules, that the user's own line calls; "" if there is none.
[[nodiscard]] std::string operation_of(const FrameTable& frames, StackId stack);

/// Returns the module of torch.nn whose constructor made it: "Linear" in C++, "linear", the file's name, in Python; ""
/// if there is none.
[[nodiscard]] std::string module_of(const FrameTable& frames, StackId stack);

/// "linear in __init__ model.py:41"; the line alone if no module is known; "" without a stack.
[[nodiscard]] std::string weight_name(const FrameTable& frames, StackId stack, const NodeKey& line);

} // namespace memviz
