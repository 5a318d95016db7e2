#pragma once

// Frames, nodes and numbers -> the words that every section of a picture uses for them. Each result is one line of
// bounded length, because names are untrusted.

#include "page/palette.hpp"
#include "page/text_fit.hpp"

#include "memviz/label.hpp"
#include "story/holders.hpp"
#include "story/short_label.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::render {

/// Returns origin_of() for every frame, by FrameId.
[[nodiscard]] std::vector<CodeOrigin> origins_of(const FrameTable& frames);
/// The origins in order, the user's own first.
inline constexpr std::array kOrigins{CodeOrigin::user, CodeOrigin::torch, CodeOrigin::library, CodeOrigin::cpp};
[[nodiscard]] const Paint& paint_of(CodeOrigin origin);
[[nodiscard]] std::string_view origin_name(CodeOrigin origin);

/// The maximum columns of a name or a path in a heading.
inline constexpr std::size_t kMostHeadingColumns = 1000;
/// Returns name, full path and line, and origin in words, on two lines; on further ones the text of the line, if known,
/// and the facts from torch.fx.
[[nodiscard]] std::string frame_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins, FrameId frame,
                                        std::size_t columns = kMostHeadingColumns);
/// Returns the same for any node: one that is not a frame is named by node_label().
[[nodiscard]] std::string key_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                                      const NodeKey& key);
/// Returns the same for a row, and its bytes.
[[nodiscard]] std::string line_title(const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                                     const HolderRow& row);
/// Returns the text that events attach to an allocation, for a tooltip.
[[nodiscard]] std::string annotation_text(std::string_view annotation);
/// Returns the colour of a node of one snapshot.
/// Whether the largest lines with such keys get separate hues: code, and keepers other than "no Python object".
[[nodiscard]] bool has_hue(const NodeKey& key);
[[nodiscard]] const Paint& key_paint(const std::vector<CodeOrigin>& origins, const NodeKey& key);

} // namespace memviz::render
