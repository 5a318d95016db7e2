#include "analysis/report/entry_names.hpp"

#include "analysis/kinds/function_name.hpp"
#include "base/printable.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <variant>

namespace memviz {

namespace {

/// A longer text is not one of PyTorch's names, and one may be in every frame.
constexpr std::size_t kMostNameBytes = 4096;

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string with_forward_slashes(std::string_view path) {
  std::string result(path.substr(path.size() - std::min(path.size(), kMostNameBytes)));
  std::ranges::replace(result, '\\', '/');
  return result;
}

/// Returns the stem of a path: "linear" of ".../modules/linear.py".
std::string stem_of(std::string_view path) {
  std::string_view name = file_basename(path);
  if (name.ends_with(".py")) name.remove_suffix(3);
  return std::string(name);
}

/// Returns the name after `scope` in a function's name, up to the next "::": "mul_Tensor" of
/// "at::_ops::mul_Tensor::call".
std::string_view name_in(std::string_view function, std::string_view scope) {
  if (!function.starts_with(scope)) return {};
  function.remove_prefix(scope.size());
  return function.substr(0, function.find("::"));
}

/// "structured_mm_out_cuda" -> "mm"
std::string without_backend(std::string_view name) {
  if (name.starts_with("structured_")) name.remove_prefix(11);
  for (const std::string_view ending : {"_cuda", "_cpu", "_symint", "_out"})
    if (name.ends_with(ending) && name.size() > ending.size()) name.remove_suffix(ending.size());
  return std::string(name);
}

/// Whether a function is a part of the Python interpreter that calls C++.
bool is_interpreter(std::string_view function) {
  static constexpr std::array<std::string_view, 6> kStarts{"_Py",         "Py",        "cfunction_",
                                                           "THPVariable", "type_call", "torch::autograd::THPVariable"};
  return std::ranges::any_of(kStarts, [&](std::string_view start) { return function.starts_with(start); });
}

/// The outermost operator seen so far, by how much its form shows.
struct Operators {
  std::string called;
  std::string called_in_full; ///< with its overload
  std::string kernel;         ///< the outermost function of at::native within the operator that comes next
  std::string differentiated;
  std::string native;

  void add(std::string_view function) {
    if (const auto name = name_in(function, "at::_ops::"); !name.empty()) call(name);
    if (const auto name = name_in(function, "torch::autograd::VariableType::"); !name.empty())
      differentiated = without_overload(name);
    if (const auto name = name_in(function, "at::native::"); !name.empty()) native = kernel = without_backend(name);
  }
  /// An overload may look like part of a name ("softmax_int"); its kernel shows where the name ends.
  void call(std::string_view name) {
    const bool is_dispatched_again = name == called_in_full;
    const std::string within = std::exchange(kernel, {});
    if (is_dispatched_again) return;
    called_in_full = name;
    called = !within.empty() && name.starts_with(within + "_") ? within : without_overload(name);
  }
  [[nodiscard]] std::string best() const {
    return !called.empty() ? called : !differentiated.empty() ? differentiated : native;
  }
};

/// Returns the operation that a frame of torch's own Python represents; "" if it represents none.
std::string operation_of_python(const std::string& file, std::string_view name) {
  if (file.ends_with("torch/nn/functional.py") || file.ends_with("torch/functional.py")) return std::string(name);
  if (!has(file, "torch/nn/modules/") || file.ends_with("/module.py") || file.ends_with("/container.py")) return {};
  return stem_of(file);
}

} // namespace

std::string without_overload(std::string_view name) {
  using Spelling = std::pair<std::string_view, std::string_view>;
  static constexpr std::array<Spelling, 5> kSpellings{{{"empty_memory_format", "empty"},
                                                       {"to_dtype", "to"},
                                                       {"to_dtype_layout", "to"},
                                                       {"to_device", "to"},
                                                       {"to_other", "to"}}};
  for (const auto& [spelling, plain] : kSpellings)
    if (name == spelling) return std::string(plain);
  for (std::size_t i = 1; i + 1 < name.size(); ++i)
    if (name[i] == '_' && name[i + 1] >= 'A' && name[i + 1] <= 'Z') return std::string(name.substr(0, i));
  return std::string(name);
}

std::string operation_of(const FrameTable& frames, StackId stack) {
  Operators operators;
  bool is_operator_known = false;
  for (const FrameId frame : frames.stack(stack)) {
    const std::string_view name = frames.name(frame);
    const std::string_view filename = frames.filename(frame);
    const CodeOrigin origin = origin_of(filename);
    if (origin == CodeOrigin::user) break;
    if (origin == CodeOrigin::cpp) {
      const std::string function = function_name(name);
      is_operator_known = is_operator_known || is_interpreter(function);
      if (!is_operator_known) operators.add(function);
      continue;
    }
    is_operator_known = true;
    if (!operators.best().empty()) break;
    if (std::string found = operation_of_python(with_forward_slashes(filename), name); !found.empty())
      return elided(found, kMostEntryColumns);
  }
  return elided(operators.best(), kMostEntryColumns);
}

std::string module_of(const FrameTable& frames, StackId stack) {
  for (const FrameId frame : frames.stack(stack)) {
    const std::string_view name = frames.name(frame);
    const std::string function = function_name(name);
    std::string_view scope = name_in(function, "torch::nn::");
    if (scope.ends_with("Impl") && scope.size() > 4)
      return elided(scope.substr(0, scope.size() - 4), kMostEntryColumns);
    if (name != "__init__") continue;
    const std::string file = with_forward_slashes(frames.filename(frame));
    if (std::string found = operation_of_python(file, ""); !found.empty()) return elided(found, kMostEntryColumns);
  }
  return {};
}

std::string weight_name(const FrameTable& frames, StackId stack, const NodeKey& line) {
  std::string module = module_of(frames, stack);
  if (!std::holds_alternative<FrameId>(line)) return module;
  std::string label = elided(node_label(frames, line), kMostEntryColumns);
  if (module.empty()) return label;
  return not_own_text(frames, line).empty() ? fmt::format("{} in {}", module, label) : module;
}

} // namespace memviz
