#include "export/trace_lines.hpp"

#include "memviz/label.hpp"
#include "text/utf8.hpp"

namespace memviz {

const std::string& StackLines::line(StackId stack) {
  std::string& line = lines_[stack.value];
  if (line.empty() && !frames_.stack(stack).empty()) line = node_label(frames_, finder_.line_of(stack));
  return line;
}

std::string_view action_text(const FrameTable& frames, const Event& event) {
  return event.action == Action::other ? frames.text(event.action_text) : action_name(event.action);
}

std::string_view bounded(std::string_view text) {
  constexpr std::size_t kMostBytes = 4096;
  return text.size() <= kMostBytes ? text : whole_characters(text.substr(0, kMostBytes));
}

} // namespace memviz
