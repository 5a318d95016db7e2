#include "export/stack_lines.hpp"

#include "base/printable.hpp"
#include "memviz/label.hpp"

namespace memviz {

const std::string& StackLines::line(StackId stack) {
  std::string& line = lines_[stack.value];
  if (line.empty() && !frames_.stack(stack).empty()) {
    line = node_label(frames_, finder_.line_of(stack));
    if (columns_) line = elided(line, *columns_);
  }
  return line;
}

} // namespace memviz
