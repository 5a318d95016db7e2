#include "analysis/frame_order.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace memviz {

FrameOrder::FrameOrder(const FrameTable& frames) : rank_(frames.frame_count()) {
  std::vector<std::uint32_t> ids(frames.frame_count());
  std::iota(ids.begin(), ids.end(), 0U);
  const auto text = [&](std::uint32_t id) {
    return std::tuple(frames.name({id}), frames.filename({id}), frames.frame({id}).line);
  };
  std::sort(ids.begin(), ids.end(), [&](std::uint32_t left, std::uint32_t right) { return text(left) < text(right); });
  for (std::uint32_t rank = 0; rank < ids.size(); ++rank)
    rank_[ids[rank]] = rank;
}

bool FrameOrder::is_before(const NodeKey& left, const NodeKey& right) const {
  if (left.kind == NodeKind::frame && right.kind == NodeKind::frame) {
    return rank_[left.frame().value] < rank_[right.frame().value];
  }
  return left < right;
}

} // namespace memviz
