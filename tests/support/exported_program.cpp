#include "support/exported_program.hpp"

#include <fmt/format.h>

namespace memviz::test {
namespace {

void add(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : ",") + item;
}

} // namespace

std::string size(long long number) {
  return fmt::format(R"({{"as_int": {}}})", number);
}

std::string size(std::string_view symbol, long long hint) {
  return fmt::format(R"({{"as_expr": {{"expr_str": "{}", "hint": {{"as_int": {}}}}}}})", symbol, hint);
}

ExportedProgram& ExportedProgram::tensor(std::string_view name, std::string_view sizes, std::string_view strides) {
  const std::string layout = strides.empty() ? "" : fmt::format(R"("strides": [{}], )", strides);
  add(tensors_, fmt::format(R"("{}": {{"dtype": 7, "sizes": [{}], {}"requires_grad": false}})", name, sizes, layout));
  return *this;
}

ExportedProgram& ExportedProgram::numbers(std::string_view name, std::string_view sizes) {
  add(tensors_, fmt::format(R"("{}": {{"dtype": 5, "sizes": [{}], "requires_grad": false}})", name, sizes));
  return *this;
}

ExportedProgram& ExportedProgram::parameter(std::string_view tensor, std::string_view name) {
  add(specs_, fmt::format(R"({{"parameter": {{"arg": {{"name": "{}"}}, "parameter_name": "{}"}}}})", tensor, name));
  return *this;
}

ExportedProgram& ExportedProgram::node(std::string_view target, std::string_view inputs, std::string_view outputs,
                                       std::string_view module_stack) {
  add(nodes_,
      fmt::format(R"({{"target": "{}", "inputs": [{}], "outputs": [{}], "metadata": {{"nn_module_stack": "{}"}}}})",
                  target, inputs, outputs, module_stack));
  return *this;
}

std::string ExportedProgram::graph() const {
  return fmt::format(
      R"({{"inputs": [], "outputs": [], "nodes": [{}], "tensor_values": {{{}}}, "sym_int_values": {{}}}})", nodes_,
      tensors_);
}

std::string ExportedProgram::json(std::string_view schema) const {
  return fmt::format(R"({{"graph_module": {{"graph": {}, "signature": {{"input_specs": [{}], "output_specs": []}}}}, )"
                     R"("range_constraints": {{"s0": {{"min_val": 2, "max_val": 64}}}}, "schema_version": {}, )"
                     R"("torch_version": "2.13.0"}})",
                     graph(), specs_, schema);
}

std::string tensor_argument(std::string_view name, std::string_view tensor) {
  return fmt::format(R"({{"name": "{}", "arg": {{"as_tensor": {{"name": "{}"}}}}}})", name, tensor);
}

std::string output(std::string_view tensor) {
  return fmt::format(R"({{"as_tensor": {{"name": "{}"}}}})", tensor);
}

std::string graph_argument(std::string_view graph) {
  return fmt::format(R"({{"name": "", "arg": {{"as_graph": {{"name": "g", "graph": {}}}}}}})", graph);
}

std::string tensors_argument(std::string_view name, const std::vector<std::string>& tensors) {
  std::string names;
  for (const std::string& tensor : tensors)
    add(names, fmt::format(R"({{"name": "{}"}})", tensor));
  return fmt::format(R"({{"name": "{}", "arg": {{"as_tensors": [{}]}}}})", name, names);
}

std::string real_argument(std::string_view name, double number) {
  return fmt::format(R"({{"name": "{}", "arg": {{"as_float": {:.1f}}}}})", name, number);
}

std::string product_inputs(std::string_view left, std::string_view right) {
  return tensor_argument("self", left) + "," + tensor_argument("mat2", right);
}

} // namespace memviz::test
