#include "activation_functions.hpp"

#include "options.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>

namespace memviz::capture::program {
namespace {

constexpr std::array kFunctions = {
    ActivationFunction{"relu", [](const at::Tensor& x) { return at::relu(x); },
                       [](at::Tensor& x) -> at::Tensor& { return at::relu_(x); }, false, false},
    ActivationFunction{"gelu", [](const at::Tensor& x) { return at::gelu(x); },
                       [](at::Tensor& x) -> at::Tensor& { return at::gelu_(x); }, true, true},
    ActivationFunction{"tanh", [](const at::Tensor& x) { return at::tanh(x); },
                       [](at::Tensor& x) -> at::Tensor& { return at::tanh_(x); }, false, false},
    ActivationFunction{"leaky_relu", [](const at::Tensor& x) { return at::leaky_relu(x); },
                       [](at::Tensor& x) -> at::Tensor& { return at::leaky_relu_(x); }, true, false},
    ActivationFunction{"sigmoid", [](const at::Tensor& x) { return at::sigmoid(x); },
                       [](at::Tensor& x) -> at::Tensor& { return at::sigmoid_(x); }, false, false},
    ActivationFunction{"silu", [](const at::Tensor& x) { return at::silu(x); },
                       [](at::Tensor& x) -> at::Tensor& { return at::silu_(x); }, true, true},
};

constexpr std::string_view kInPlace = "inplace";

const ActivationFunction& find_function(std::string_view name) {
  const auto found = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const auto& f) { return f.name == name; });
  if (found != kFunctions.end()) return *found;
  std::vector<std::string_view> names = activation_names();
  names.push_back(kInPlace);
  throw UsageError("unknown activation '" + std::string(name) + "'" + did_you_mean(name, names) + " (" + listed(names) +
                   ")");
}

} // namespace

at::Tensor Activation::operator()(at::Tensor input) const {
  return in_place ? function->apply_in_place(input) : function->apply(input);
}

bool Activation::saves_input() const {
  return in_place ? function->saves_input_in_place : function->saves_input;
}

std::string Activation::name() const {
  return std::string(function->name) + (in_place ? " in place" : "");
}

std::span<const ActivationFunction> activation_functions() {
  return kFunctions;
}

std::vector<std::string_view> activation_names() {
  std::vector<std::string_view> names;
  for (const ActivationFunction& function : kFunctions)
    names.push_back(function.name);
  return names;
}

std::vector<Activation> parse_activations(std::string_view list) {
  std::vector<Activation> activations;
  for (bool is_last = false; !is_last;) {
    const std::size_t comma = list.find(',');
    is_last = comma == std::string_view::npos;
    const std::string_view name = list.substr(0, comma);
    list.remove_prefix(is_last ? list.size() : comma + 1);
    if (name != kInPlace) {
      activations.push_back({&find_function(name)});
    } else if (activations.empty()) {
      throw UsageError("'inplace' belongs after an activation, as in leaky_relu,inplace");
    } else {
      activations.back().in_place = true;
    }
  }
  return activations;
}

} // namespace memviz::capture::program
