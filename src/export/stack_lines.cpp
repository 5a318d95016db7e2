#include "export/stack_lines.hpp"

#include "memviz/label.hpp"

namespace memviz {

const std::string& StackLines::line(StackId stack) {
  std::string& line = lines_[stack.value];
  if (line.empty() && !frames_.stack(stack).empty()) line = node_label(frames_, finder_.line_of(stack));
  return line;
}

} // namespace memviz
