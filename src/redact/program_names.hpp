#pragma once

// Names in a program of torch.export -> names in which everything that is not public knowledge is a pseudonym. Parts
// that figures depend on stay: numbers of modules, PyTorch's own operators, and which modules are PyTorch's.

#include "redact/hiding.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// "transformer.h.0" -> "module_1.module_2.0"
[[nodiscard]] std::string hidden_module_path(std::string_view path, const Hiding& hiding);

/// "train.Block" -> "module_1.class_2"; the class of a public package stays.
[[nodiscard]] std::string hidden_class(std::string_view name, const Hiding& hiding);

/// Whether it is the name of a node of autograd that is PyTorch's own: "MulBackward0", not a program's "ScaleBackward".
[[nodiscard]] bool is_autograd_node(std::string_view name);

/// "acme.fused.default" -> "module_1.func_2.default"; PyTorch's own operators stay.
[[nodiscard]] std::string hidden_operator(std::string_view target, const Hiding& hiding);

/// "batch" -> "size_1"; PyTorch's own names stay: "s0", "u12".
[[nodiscard]] std::string hidden_size(std::string_view name, const Hiding& hiding);

} // namespace memviz
