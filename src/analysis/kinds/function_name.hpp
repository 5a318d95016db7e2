#pragma once

// A demangled signature of C++ -> the name of its function. Where a type is in a signature says nothing of what the
// function is: a program's own train(torch::optim::Optimizer&) is none of torch::optim.

#include <string>
#include <string_view>

namespace memviz {

/// "void torch::nn::Module::to_impl<bool&>(bool&)" -> "torch::nn::Module::to_impl": without the type of its result, the
/// arguments of templates, parameters, and what is declared within it. Anonymous namespaces are left out.
[[nodiscard]] std::string function_name(std::string_view signature);

/// Whether a name that function_name() gave is one as "torch::nn::LinearImpl::LinearImpl".
[[nodiscard]] bool is_constructor(std::string_view function);

} // namespace memviz
