#pragma once

// Names of functions -> names in which everything that is not public knowledge is a pseudonym.

#include "redact/hiding.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// "func_k3x9q2ma"; functions that PyTorch omits from its pictures, and the kinds of C functions that memviz
/// distinguishes, stay recognisable.
[[nodiscard]] std::string hidden_function(std::string_view name, const Hiding& hiding);

/// Rewrites C++ as a debugger prints it: "void secret::kernel<at::Tensor>(int)" -> "void
/// func_1::func_2<at::Tensor>(int)". Public namespaces keep everything inside them.
[[nodiscard]] std::string hidden_cpp_name(std::string_view name, const Hiding& hiding);

} // namespace memviz
