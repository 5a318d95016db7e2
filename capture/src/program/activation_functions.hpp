#pragma once

// The activation functions of `--act`, and what each saves for its backward pass: the result, which the next matrix
// product saves anyway, or the input, which nothing else needs.

#include <ATen/core/Tensor.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::capture::program {

struct ActivationFunction {
  std::string_view name;
  at::Tensor (*apply)(const at::Tensor&);
  at::Tensor& (*apply_in_place)(at::Tensor&);
  bool saves_input;          ///< as derivatives.yaml of PyTorch 2.4 to 2.13 has it
  bool saves_input_in_place; ///< then of a copy: the input itself is gone
};

struct Activation {
  const ActivationFunction* function = nullptr;
  bool in_place = false;

  [[nodiscard]] at::Tensor operator()(at::Tensor input) const;
  [[nodiscard]] bool saves_input() const;
  [[nodiscard]] std::string name() const; ///< "leaky_relu in place"
};

[[nodiscard]] std::span<const ActivationFunction> activation_functions();
[[nodiscard]] std::vector<std::string_view> activation_names();

/// "relu,leaky_relu,inplace": names, where "inplace" belongs to the one before it. Throws UsageError.
[[nodiscard]] std::vector<Activation> parse_activations(std::string_view list);

} // namespace memviz::capture::program
