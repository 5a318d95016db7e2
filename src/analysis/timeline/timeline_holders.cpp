#include "analysis/tree/frame_order.hpp"
#include "memviz/timeline.hpp"

#include <algorithm>
#include <map>

namespace memviz {

std::vector<Holder> holders_at(const FrameTable& frames, const LifeLines& lines, const DeviceRecord& record,
                               TimelineKind kind, std::uint32_t state) {
  std::map<NodeKey, Amount> amounts;
  const auto add = [&](const Life& life) {
    if (life.lives_in(state)) amounts[lines.line_of(record.device, life)] += {life.size_bytes, 1};
  };
  // They stand in order of begin.
  for (const Life& life : kind == TimelineKind::segments ? record.ranges : record.lives) {
    if (life.begin > state) break;
    add(life);
  }
  if (kind == TimelineKind::allocations) {
    std::for_each(record.freed_baseline.begin(), record.freed_baseline.end(), add);
    std::for_each(record.kept_baseline.begin(), record.kept_baseline.end(), add);
  }
  std::vector<Holder> holders;
  for (const auto& [key, amount] : amounts)
    holders.push_back({key, amount.bytes, amount.blocks});
  const FrameOrder order(frames);
  std::sort(holders.begin(), holders.end(), [&](const Holder& left, const Holder& right) {
    return left.bytes != right.bytes ? left.bytes > right.bytes : order.is_before(left.key, right.key);
  });
  return holders;
}

} // namespace memviz
