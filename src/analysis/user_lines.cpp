#include "analysis/frame_order.hpp"
#include "analysis/no_stack.hpp"
#include "memviz/flame.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace memviz {
namespace {

/// Whether a frame says where to look, by falling preference: 3 the user's own, 2 Python, 1 what the omit list keeps.
int preference(const FrameTable& frames, FrameId frame) {
  const CodeOrigin origin = origin_of(frames.filename(frame));
  if (origin == CodeOrigin::user) return 3;
  if (origin != CodeOrigin::cpp) return 2;
  return is_omitted(frames.name(frame), frames.filename(frame)) ? 0 : 1;
}

NodeKey line_of(const FrameTable& frames, StackId stack) {
  NodeKey best{NodeKind::pseudo, static_cast<std::uint64_t>(Pseudo::filtered), 0};
  int best_preference = 0;
  for (const FrameId frame : frames.stack(stack)) {
    const int candidate = preference(frames, frame);
    if (candidate <= best_preference) continue;
    best = {NodeKind::frame, frame.value, 0};
    best_preference = candidate;
  }
  return best;
}

} // namespace

std::vector<UserLine> rank_user_lines(const Snapshot& snapshot, const Replay& replay,
                                      std::optional<std::uint32_t> device) {
  const NoStackReasons no_stack(snapshot, replay);
  std::unordered_map<std::uint32_t, NodeKey> line_by_stack;
  std::map<NodeKey, Amount> amounts;
  for (const Segment& segment : snapshot.segments) {
    if (device && *device != segment.device) continue;
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = snapshot.blocks[i];
      if (!block.is_active()) continue;
      NodeKey key{NodeKind::pseudo, 0, 0};
      if (snapshot.frames.stack(block.stack).empty()) {
        key.value = static_cast<std::uint64_t>(no_stack.reason(segment.device, i));
      } else {
        const auto [entry, is_new] = line_by_stack.try_emplace(block.stack.value);
        if (is_new) entry->second = line_of(snapshot.frames, block.stack);
        key = entry->second;
      }
      amounts[key] += {block.requested_bytes, 1};
    }
  }
  std::vector<UserLine> lines;
  for (const auto& [key, amount] : amounts)
    lines.push_back({key, amount});
  const FrameOrder order(snapshot.frames);
  std::sort(lines.begin(), lines.end(), [&](const UserLine& left, const UserLine& right) {
    if (left.amount.bytes != right.amount.bytes) return left.amount.bytes > right.amount.bytes;
    return order.is_before(left.key, right.key);
  });
  return lines;
}

} // namespace memviz
