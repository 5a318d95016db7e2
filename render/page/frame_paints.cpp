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

FramePaints::FramePaints(const FrameTable& frames, const std::vector<CodeOrigin>& origins, const LineHues& hues)
    : frames_(frames), origins_(origins), by_frame_(frames.frame_count() + 1), has_chosen_lines_(true) {
  for (std::uint32_t frame = 0; frame < frames.frame_count(); ++frame) {
    const Paint* const hue = hues.of(FrameId{frame});
    by_frame_[frame] = hue == nullptr ? &paint::kOtherCode : hue;
    if (hue != nullptr) ++chosen_frames_;
  }
}

const Paint& FramePaints::of(FrameId frame) const {
  const CodeOrigin origin = origins_[frame.value];
  if (!are_lines()) return paint_of(origin);
  const Paint*& paint = by_frame_[frame.value];
  if (paint == nullptr)
    paint =
        origin == CodeOrigin::user ? &hues()[choose_hues({node_label(frames_, frame)}).front()] : &paint::kOtherCode;
  return *paint;
}

bool FramePaints::is_of_caller(FrameId frame) const {
  return has_chosen_lines_ && origins_[frame.value] != CodeOrigin::user && &of(frame) == &paint::kOtherCode;
}

const Paint& FramePaints::of(const NodeKey& key) const {
  const auto* frame = std::get_if<FrameId>(&key);
  return frame == nullptr ? key_paint(origins_, key) : of(*frame);
}

} // namespace memviz::render
