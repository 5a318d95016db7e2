#pragma once

// Block -> the line of the user's own code that asked for it.

#include "analysis/frame_order.hpp"
#include "analysis/no_stack.hpp"
#include "memviz/flame.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace memviz {

class UserLines {
public:
  UserLines(const Snapshot& snapshot, const Replay& replay) : snapshot_(snapshot), no_stack_(snapshot, replay) {}

  /// Of an active block, by its index in Snapshot::blocks: the frame of rank_user_lines(), or why there is none.
  [[nodiscard]] NodeKey line_of(std::uint32_t device, std::uint32_t block);

private:
  const Snapshot& snapshot_;
  NoStackReasons no_stack_;
  std::unordered_map<std::uint32_t, NodeKey> line_by_stack_;
};

/// Largest first, then in the order of labels.
void sort_by_bytes(const FrameOrder& order, std::vector<UserLine>& lines);

} // namespace memviz
