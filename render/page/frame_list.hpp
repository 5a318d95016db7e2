#pragma once

// The frames that a picture's script needs: name, place, origin, and the tooltip of each, once, however many stacks
// contain them.

#include "page/frame_paints.hpp"
#include "page/page.hpp"

#include "memviz/label.hpp"

#include <cstddef>
#include <map>
#include <string_view>
#include <vector>

namespace memviz::render {

/// Frames in the order of their first use; elements refer to them by that number.
class FrameList {
public:
  explicit FrameList(std::string_view id = "frames") : id_(id) {}

  [[nodiscard]] std::size_t index_of(FrameId frame);
  /// Writes the list as <metadata> with the id. If many frames have long names, cuts them, so that the picture stays
  /// within `max_bytes`. If `paints` are by line, marks the user's own frames.
  void write(XmlElement svg, const FrameTable& frames, const std::vector<CodeOrigin>& origins,
             const FramePaints& paints, std::size_t max_bytes) const;

private:
  std::string_view id_;
  std::map<FrameId, std::size_t> index_;
  std::vector<FrameId> ordered_;
};

} // namespace memviz::render
