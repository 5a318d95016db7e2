#pragma once

// Frames, nodes and numbers -> the words that every section of a picture uses for them. All of it is on one line
// and is bounded in length: names come from a stranger.

#include "page/palette.hpp"
#include "page/text_fit.hpp"

#include "memviz/label.hpp"
#include "memviz/short_label.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::render {

/// origin_of() for every frame, by FrameId.
[[nodiscard]] std::vector<CodeOrigin> origins_of(const FrameTable& frames);
/// The nearest to the user first.
inline constexpr std::array kOrigins{CodeOrigin::user, CodeOrigin::torch, CodeOrigin::library, CodeOrigin::cpp};
[[nodiscard]] const Paint& paint_of(CodeOrigin origin);
[[nodiscard]] std::string_view origin_name(CodeOrigin origin);

/// The most columns of a name or a path in a heading.
inline constexpr std::size_t kMostHeadingColumns = 1000;
/// Name, full path and line, and origin in words, on two lines; on further ones the text of the line where it is
/// known, and what torch.fx says.
[[nodiscard]] std::string frame_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins, FrameId frame,
                                        std::size_t columns = kMostHeadingColumns);
/// The same for any node: one that is not a frame is named by node_label().
[[nodiscard]] std::string key_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                                      const NodeKey& key);
/// Returns the text that events attach to an allocation, for a tooltip.
[[nodiscard]] std::string annotation_text(std::string_view annotation);
/// The colour of a node of one snapshot.
[[nodiscard]] const Paint& key_paint(const std::vector<CodeOrigin>& origins, const NodeKey& key);

} // namespace memviz::render
