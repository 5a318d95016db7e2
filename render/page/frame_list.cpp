#include "page/frame_list.hpp"

#include "page/naming.hpp"

#include <algorithm>

namespace memviz::render {

std::size_t FrameList::index_of(FrameId frame) {
  const auto [entry, is_new] = index_.try_emplace(frame, ordered_.size());
  if (is_new) ordered_.push_back(frame);
  return entry->second;
}

void FrameList::write(XmlElement svg, const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                      const FramePaints& paints, std::size_t max_bytes) const {
  if (ordered_.empty()) return;
  XmlElement list = svg.child("metadata").set("id", id_);
  constexpr std::size_t kFewestColumns = 60;
  const std::size_t columns = std::clamp(max_bytes / (2 * ordered_.size()), kFewestColumns, kMostHeadingColumns);
  FrameLabels labels(frames);
  for (const FrameId frame : ordered_) {
    const Label label = labels.of(frame);
    XmlElement entry = list.child("f").set("n", label.name).set("p", label.place).set("c", paints.of(frame).name);
    if (paints.are_lines() && origins[frame.value] == CodeOrigin::user) entry.set("o", "1");
    entry.text(frame_heading(frames, origins, frame, columns));
  }
}

} // namespace memviz::render
