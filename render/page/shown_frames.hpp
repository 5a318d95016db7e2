#pragma once

// A stack -> the frames of it that a picture's tooltips show: without those that PyTorch's own tools omit, and without
// the interpreter's, as in FrameFilter::program.

#include "memviz/frames.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace memviz::render {

class ShownFrames {
public:
  explicit ShownFrames(const FrameTable& frames)
      : frames_(frames), is_shown_(frames.frame_count()), has_omitted_name_(frames.string_count()),
        has_omitted_file_(frames.string_count()) {}

  /// Returns the shown frames of a stack, innermost first, at most `most`.
  [[nodiscard]] std::vector<FrameId> of(StackId stack, std::size_t most);

private:
  [[nodiscard]] bool is_shown(FrameId frame_id);

  const FrameTable& frames_;
  std::vector<std::optional<bool>> is_shown_; ///< by FrameId
  // By StringId: each text once, because a file may give one name of megabytes to all its frames.
  std::vector<std::optional<bool>> has_omitted_name_;
  std::vector<std::optional<bool>> has_omitted_file_;
};

} // namespace memviz::render
