#pragma once

// A few words -> the JSON of an exported program, for tests of its reader.

#include <string>
#include <string_view>
#include <vector>

namespace memviz::test {

/// {"as_int": 4}, or a symbol with its hint: size("s0", 4).
[[nodiscard]] std::string size(long long number);
[[nodiscard]] std::string size(std::string_view symbol, long long hint);

/// Builds one graph; inserts its arguments unchanged.
class ExportedProgram {
public:
  /// `sizes` and `strides` are joined texts of size(), separated by commas.
  ExportedProgram& tensor(std::string_view name, std::string_view sizes, std::string_view strides = "");
  /// Adds a tensor of whole numbers of 8 bytes.
  ExportedProgram& numbers(std::string_view name, std::string_view sizes);
  ExportedProgram& parameter(std::string_view tensor, std::string_view name);
  /// `inputs` and `outputs` are JSON without their brackets; see tensor_argument().
  ExportedProgram& node(std::string_view target, std::string_view inputs, std::string_view outputs,
                        std::string_view module_stack = "");
  /// Returns everything except `schema`, the object of the schema's version.
  [[nodiscard]] std::string json(std::string_view schema = R"({"major": 8, "minor": 2})") const;
  /// Returns the graph alone, for an argument of another's node.
  [[nodiscard]] std::string graph() const;

private:
  std::string tensors_;
  std::string nodes_;
  std::string specs_;
};

/// {"name": NAME, "arg": {"as_tensor": {"name": TENSOR}}}
[[nodiscard]] std::string tensor_argument(std::string_view name, std::string_view tensor);
/// The same for an output, which has no separate name.
[[nodiscard]] std::string output(std::string_view tensor);
/// {"name": "", "arg": {"as_graph": ...}}
[[nodiscard]] std::string graph_argument(std::string_view graph);

/// {"name": NAME, "arg": {"as_tensors": [...]}}
[[nodiscard]] std::string tensors_argument(std::string_view name, const std::vector<std::string>& tensors);
/// {"name": NAME, "arg": {"as_float": 0.5}}
[[nodiscard]] std::string real_argument(std::string_view name, double number);

/// Adds a matrix product of `left` and `right` to `result`.
[[nodiscard]] std::string product_inputs(std::string_view left, std::string_view right);

} // namespace memviz::test
