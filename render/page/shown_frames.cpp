#include "page/shown_frames.hpp"

#include "memviz/label.hpp"

namespace memviz::render {

bool ShownFrames::is_shown(FrameId frame_id) {
  std::optional<bool>& known = is_shown_[frame_id.value];
  if (known) return *known;
  const Frame& frame = frames_.frame(frame_id);
  std::optional<bool>& by_name = has_omitted_name_[frame.name.value];
  if (!by_name) by_name = is_omitted_name(frames_.text(frame.name));
  std::optional<bool>& by_file = has_omitted_file_[frame.filename.value];
  if (!by_file) by_file = is_omitted_file(frames_.text(frame.filename));
  known = !*by_name && !*by_file && !is_interpreter(frames_.text(frame.name), frames_.text(frame.filename));
  return *known;
}

std::vector<FrameId> ShownFrames::of(StackId stack, std::size_t most) {
  std::vector<FrameId> shown;
  for (const FrameId frame : frames_.stack(stack)) {
    if (shown.size() == most) break;
    if (is_shown(frame)) shown.push_back(frame);
  }
  return shown;
}

} // namespace memviz::render
