#include "graph/siblings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace memviz::render {
namespace {

/// The maximum number of folders; files that differ only further up stay alike.
constexpr int kMostFolders = 6;
/// The part of a path, from its end, that is used, because a path may be as long as the file.
constexpr std::size_t kMostPathBytes = 1000;

/// Returns the last `parts` parts of a path: "linear.py" for one, "modules/linear.py" for two.
std::string_view path_end(std::string_view path, int parts) {
  path = path.substr(path.size() - std::min(path.size(), kMostPathBytes));
  std::size_t begin = path.size();
  for (; parts > 0 && begin > 0; --parts) {
    begin = path.find_last_of("/\\", begin - 1);
    if (begin == std::string_view::npos) return path;
  }
  return path.substr(std::min(path.size(), begin + 1));
}

/// Returns a mark that may distinguish a box from its siblings; a higher `level` includes more of the path. "" if there
/// is none.
std::string mark_of(const FlameGraph& graph, const GraphBox& box, int level) {
  if (box.frames.empty()) return "";
  const FrameTable& frames = *graph.frames;
  const FrameId frame = box.frames.front(); // siblings differ in their first frame
  const std::int64_t line = frames.frame(frame).line;
  std::string line_text = line == 0 ? "" : fmt::format(":{}", line);
  if (level == 0) return line_text;
  std::string text = fmt::format("{}{}", path_end(frames.filename(frame), level), line_text);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  return text;
}

/// Returns one mark for each of the boxes, all different if possible.
std::vector<std::string> marks_of(const FlameGraph& graph, const std::vector<std::size_t>& boxes) {
  std::vector<std::string> marks;
  for (int level = 0; level <= kMostFolders; ++level) {
    marks.clear();
    for (const std::size_t box : boxes)
      marks.push_back(mark_of(graph, graph.boxes[box], level));
    if (std::set<std::string>(marks.begin(), marks.end()).size() == marks.size()) break;
  }
  return marks;
}

} // namespace

std::vector<std::string> shown_labels(const FlameGraph& graph,
                                      const std::function<std::size_t(const GraphBox&)>& columns_in) {
  std::vector<std::string> labels;
  std::map<std::pair<std::uint32_t, std::string>, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < graph.boxes.size(); ++i) {
    const GraphBox& box = graph.boxes[i];
    labels.push_back(fit_label(box.label, columns_in(box)));
    if (i > 0 && !labels.back().empty()) alike[{box.parent, labels.back()}].push_back(i);
  }
  for (const auto& [shown, boxes] : alike) {
    if (boxes.size() < 2) continue;
    const std::vector<std::string> marks = marks_of(graph, boxes);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const GraphBox& box = graph.boxes[boxes[i]];
      labels[boxes[i]] = fit_marked_label(box.label, marks[i], columns_in(box));
    }
  }
  return labels;
}

} // namespace memviz::render
