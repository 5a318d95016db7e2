#include "model/redacted_program.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace memviz::model {

void redact(Program& program, Redactor& redactor) {
  const auto hide = [&](ProgramText kind, std::string& text) { text = redactor.text(kind, text); };
  for (Module& module : program.modules) {
    hide(ProgramText::module_path, module.path);
    hide(ProgramText::class_name, module.type);
  }
  for (Graph& graph : program.graphs) {
    for (Node& node : graph.nodes)
      hide(ProgramText::operator_name, node.target);
    for (Tensor& tensor : graph.tensors)
      tensor.name.clear(); // nobody asks for it
  }
  for (Weight& weight : program.weights)
    hide(ProgramText::module_path, weight.name);
  const auto size_name = [&](const std::string& name) { return redactor.text(ProgramText::size, name); };
  program.symbols.rename(size_name);
  std::map<std::string, SizeRange> ranges;
  for (const auto& [name, range] : program.ranges)
    ranges.emplace(size_name(name), range);
  program.ranges = std::move(ranges);

  std::size_t places = 0;
  for (const Module& module : program.modules)
    places += redactor.leaks_in_text(module.path) + redactor.leaks_in_text(module.type);
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes)
      places += redactor.leaks_in_text(node.target);
  }
  redactor.check_texts(places);
}

} // namespace memviz::model
