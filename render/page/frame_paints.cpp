#include "page/frame_paints.hpp"

#include "page/hues.hpp"
#include "page/naming.hpp"

#include <variant>

namespace memviz::render {

FramePaints::FramePaints(const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                         std::span<const UserLine> users)
    : frames_(frames), origins_(origins), by_frame_(frames.frame_count() + 1) {
  std::vector<FrameId> lines;
  std::vector<std::string> texts;
  for (const UserLine& user : users) {
    const auto* frame = std::get_if<FrameId>(&user.key);
    if (frame == nullptr || origins[frame->value] != CodeOrigin::user) continue;
    if (texts.size() == hues().size()) break;
    lines.push_back(*frame);
    texts.push_back(node_label(frames, *frame));
  }
  const std::vector<std::size_t> chosen = choose_hues(texts);
  for (std::size_t i = 0; i < lines.size(); ++i)
    by_frame_[lines[i].value] = &hues()[chosen[i]];
}

const Paint& FramePaints::of(FrameId frame) const {
  const CodeOrigin origin = origins_[frame.value];
  if (!are_lines()) return paint_of(origin);
  if (origin != CodeOrigin::user) return paint::kOtherCode;
  const Paint*& paint = by_frame_[frame.value];
  if (paint == nullptr) paint = &hues()[choose_hues({node_label(frames_, frame)}).front()];
  return *paint;
}

const Paint& FramePaints::of(const NodeKey& key) const {
  const auto* frame = std::get_if<FrameId>(&key);
  return frame == nullptr ? key_paint(origins_, key) : of(*frame);
}

} // namespace memviz::render
