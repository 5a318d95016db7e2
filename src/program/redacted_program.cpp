#include "program/redacted_program.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::program {

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
      tensor.name.clear(); // never requested
  }
  for (Weight& weight : program.weights)
    hide(ProgramText::module_path, weight.name);
  const auto size_name = [&](const std::string& name) { return redactor.text(ProgramText::size, name); };
  program.symbols.rename(size_name);
  std::map<std::string, SizeRange> ranges;
  for (const auto& [name, range] : program.ranges)
    ranges.emplace(size_name(name), range);
  program.ranges = std::move(ranges);

  std::vector<std::string_view> texts;
  for (const Module& module : program.modules)
    texts.insert(texts.end(), {module.path, module.type});
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes)
      texts.emplace_back(node.target);
  }
  redactor.check_texts(texts);
}

} // namespace memviz::program
