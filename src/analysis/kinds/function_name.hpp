#pragma once

// A demangled C++ signature -> the name of its function. A type within a signature says nothing about the function: a
// program's own train(torch::optim::Optimizer&) is not part of torch::optim.

#include <string>
#include <string_view>

namespace memviz {

/// "void torch::nn::Module::to_impl<bool&>(bool&)" -> "torch::nn::Module::to_impl": without the result type, template
/// arguments, parameters, and names declared within it. Omits anonymous namespaces.
[[nodiscard]] std::string function_name(std::string_view signature);

/// Whether a result of function_name() is a constructor, such as "torch::nn::LinearImpl::LinearImpl".
[[nodiscard]] bool is_constructor(std::string_view function);

} // namespace memviz
