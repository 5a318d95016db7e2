#include "page/line_hues.hpp"

#include "page/hues.hpp"

#include "memviz/label.hpp"

#include <algorithm>

namespace memviz::render {
namespace {

std::vector<std::string> labels_of(const FrameTable& frames, std::span<const NodeKey> lines) {
  std::vector<std::string> labels;
  for (const NodeKey& line : lines.first(std::min(lines.size(), hues().size())))
    labels.push_back(node_label(frames, line));
  return labels;
}

} // namespace

LineHues::LineHues(std::span<const NodeKey> lines, std::vector<std::string> texts) {
  texts.resize(std::min(texts.size(), hues().size()));
  const std::vector<std::size_t> chosen = choose_hues(texts);
  for (std::size_t i = 0; i < chosen.size(); ++i)
    paints_.emplace(lines[i], &hues()[chosen[i]]);
}

LineHues::LineHues(const FrameTable& frames, std::span<const NodeKey> lines)
    : LineHues(lines, labels_of(frames, lines)) {
}

const Paint* LineHues::of(const NodeKey& line) const {
  const auto found = paints_.find(line);
  return found == paints_.end() ? nullptr : found->second;
}

} // namespace memviz::render
