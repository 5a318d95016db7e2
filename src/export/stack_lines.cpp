#include "export/stack_lines.hpp"

#include "base/printable.hpp"
#include "memviz/label.hpp"
#include "story/explain_words.hpp"

#include <string_view>

namespace memviz {

const std::string& StackLines::line(StackId stack) {
  std::string& line = lines_[stack.value];
  if (line.empty() && !frames_.stack(stack).empty()) {
    line = node_label(frames_, finder_.line_of(stack));
    if (columns_) line = elided(line, *columns_);
  }
  return line;
}

std::string inner_line_text(const FrameTable& frames, FrameId inner, std::size_t columns) {
  constexpr std::string_view kStep = "  ";
  return std::string(kStep) + line_text(frames, inner, columns - kStep.size());
}

std::string line_text(const FrameTable& frames, const NodeKey& line, std::size_t columns) {
  return with_source(elided(node_label(frames, line), columns), source_of(frames, line));
}

std::string with_callers(std::string text, const std::vector<std::string>& callers, std::size_t columns) {
  for (const std::string& caller : callers) {
    const std::string more = " ‹ " + caller;
    if (column_count(text) + column_count(more) > columns) break;
    text += more;
  }
  return text;
}

std::vector<std::string> callers_of(const FrameTable& frames, CallLineFinder& calls, StackId stack) {
  return callers_text(frames, calls.of(stack).line);
}

} // namespace memviz
