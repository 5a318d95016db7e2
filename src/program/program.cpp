#include "program/program.hpp"

#include <algorithm>

namespace memviz::program {

const Argument* argument_of(const Node& node, std::string_view name, std::size_t place) {
  const auto named =
      std::ranges::find_if(node.arguments, [&](const Argument& argument) { return argument.name == name; });
  if (named != node.arguments.end()) return &*named;
  if (place < node.arguments.size() && node.arguments[place].name.empty()) return &node.arguments[place];
  return nullptr;
}

} // namespace memviz::program
