#pragma once

// --frames, --hide and --focus -> which frames and stacks of one snapshot take part in a tree. Each frame and each
// stack is examined once.

#include "memviz/flame.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace memviz {

/// Whether the event that began or ended a life is in the requested range.
[[nodiscard]] bool is_in(const LifeRange& lives, const BlockHistory& history);

class FrameSelection {
public:
  /// Throws UsageError, which calls the focus `focus_option`, for an expression that is not RE2.
  FrameSelection(const FrameTable& frames, const TreeOptions& options, std::string_view focus_option = "--focus");

  /// Returns the frames of a stack that take part, outermost first. Valid until the next call.
  [[nodiscard]] std::span<const FrameId> selected(StackId stack);
  /// Whether a frame of the stack, hidden or not, matches --focus; true for every stack without --focus.
  [[nodiscard]] bool is_in_focus(StackId stack) { return look_at(stack).is_in_focus; }

private:
  struct Look {
    std::uint64_t begin = 0; ///< in kept_
    std::uint32_t size = 0;
    bool is_in_focus = true;
  };

  const Look& look_at(StackId stack);

  const FrameTable& frames_;
  bool has_focus_;
  std::vector<bool> keeps_;                ///< by FrameId
  std::vector<bool> matches_focus_;        ///< by FrameId
  std::vector<std::optional<Look>> looks_; ///< by StackId
  std::vector<FrameId> kept_;
};

} // namespace memviz
