#pragma once

// Frames, nodes and numbers -> the words that every section of a picture uses for them. All of it stands on one line
// and is bounded in length: names come from a stranger.

#include "page/palette.hpp"
#include "page/text_fit.hpp"

#include "memviz/label.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace memviz::render {

/// origin_of() for every frame, by FrameId.
[[nodiscard]] std::vector<CodeOrigin> origins_of(const FrameTable& frames);
[[nodiscard]] const Paint& paint_of(CodeOrigin origin);
[[nodiscard]] std::string_view origin_name(CodeOrigin origin);

/// The labels of frames, each text made fit for one only once: a file may give one name of megabytes to every frame.
class FrameLabels {
public:
  explicit FrameLabels(const FrameTable& frames) : frames_(frames), names_(frames.string_count()), files_(names_) {}

  /// "forward" and "model.py:41", with everything on one line.
  [[nodiscard]] Label of(FrameId frame_id);

private:
  const FrameTable& frames_;
  std::vector<std::optional<std::string>> names_; ///< by StringId
  std::vector<std::optional<std::string>> files_; ///< by StringId; "" where the file is unknown
};

/// "forward" and "model.py:41", with everything on one line.
[[nodiscard]] Label frame_label(const FrameTable& frames, FrameId frame);
/// Of a name, and of a path, in a heading.
inline constexpr std::size_t kMostHeadingColumns = 1000;
/// Name, full path and line, and origin in words, on two lines.
[[nodiscard]] std::string frame_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins, FrameId frame,
                                        std::size_t columns = kMostHeadingColumns);
/// The same for any node: one that is no frame is named by node_label().
[[nodiscard]] Label key_label(const FrameTable& frames, const NodeKey& key);
/// The same of keys that stand in one list: different frames that would look alike with the folders that tell them
/// apart.
[[nodiscard]] std::vector<Label> key_labels(const FrameTable& frames, const std::vector<NodeKey>& keys);
/// Of a line that stands for its stack: with a note where it is not the user's own.
[[nodiscard]] Label line_label(const FrameTable& frames, const NodeKey& key);
/// The same of the lines of one list, told apart as by key_labels().
[[nodiscard]] std::vector<Label> line_labels(const FrameTable& frames, const std::vector<NodeKey>& keys);
[[nodiscard]] std::string key_heading(const FrameTable& frames, const std::vector<CodeOrigin>& origins,
                                      const NodeKey& key);
/// The colour of a node of one snapshot.
[[nodiscard]] const Paint& key_paint(const std::vector<CodeOrigin>& origins, const NodeKey& key);
/// format_delta() with a minus sign as wide as the plus.
[[nodiscard]] std::string delta_text(std::int64_t bytes);
/// "1 block", "2,140 blocks"
[[nodiscard]] std::string count_of(std::uint64_t count, std::string_view noun);

} // namespace memviz::render
