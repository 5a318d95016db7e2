#pragma once

// Frames and nodes -> the few words that fit in a sentence, a row or a box. Each result is one line of bounded length,
// because names are untrusted.

#include "memviz/frames.hpp"
#include "memviz/label.hpp"
#include "memviz/memory_map.hpp"
#include "memviz/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The texts for a box, from long to short.
struct Label {
  std::string name = {};   ///< "forward", "at::native::empty_cuda", "inactive"
  std::string place = {};  ///< "model.py:41" or ""
  std::string note = {};   ///< "19.5 MiB", or with a sign "+19.5 MiB", or ""
  std::string source = {}; ///< "loss.backward()", of labels in lists and boxes, where it is known
  std::string brief = {};  ///< shorter than the name, where there is such a form: "⋯ 28", "free"
};

/// The maximum columns of a name: one of a megabyte must not fill a picture.
inline constexpr std::size_t kMostNameColumns = 200;

/// Returns `text` without line breaks and unsafe characters, cut to this many columns.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t columns = kMostNameColumns);

/// The labels of frames. Each text is shortened only once, because a file may give one name of megabytes to every
/// frame.
class FrameLabels {
public:
  explicit FrameLabels(const FrameTable& frames) : frames_(frames), names_(frames.string_count()), files_(names_) {}

  /// "forward" and "model.py:41", each on one line.
  [[nodiscard]] Label of(FrameId frame_id);

private:
  const FrameTable& frames_;
  std::vector<std::optional<std::string>> names_; ///< by StringId
  std::vector<std::optional<std::string>> files_; ///< by StringId; "" where the file is unknown
};

/// "forward" and "model.py:41", each on one line.
[[nodiscard]] Label frame_label(const FrameTable& frames, FrameId frame);
/// Returns memviz's word for a block's state, and PyTorch's: "in use (active_allocated)".
[[nodiscard]] std::string_view state_label(BlockState state);
/// Returns the label of any node: state_label() for a state, node_label() for other nodes that are not frames.
[[nodiscard]] Label key_label(const FrameTable& frames, const NodeKey& key);
/// Returns "stream 0"; a long handle loses its beginning, because the ends differ: "stream …304176".
[[nodiscard]] std::string short_stream(std::int64_t stream);
/// Returns the labels of keys in one list; different frames that would look alike get the folders that distinguish
/// them.
[[nodiscard]] std::vector<Label> key_labels(const FrameTable& frames, const std::vector<NodeKey>& keys);
/// Returns the label of the line that represents its stack, with a note if it is not the user's own.
[[nodiscard]] Label line_label(const FrameTable& frames, const NodeKey& key);
/// Returns the labels of the lines of one list, distinguished as by key_labels().
[[nodiscard]] std::vector<Label> line_labels(const FrameTable& frames, const std::vector<NodeKey>& keys);

} // namespace memviz
