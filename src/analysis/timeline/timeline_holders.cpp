#include "analysis/tree/frame_order.hpp"
#include "analysis/tree/user_lines.hpp"
#include "memviz/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace memviz {

std::vector<Holder> holders_at(const FrameTable& frames, const LifeLines& lines, const DeviceRecord& record,
                               TimelineKind kind, std::uint32_t state) {
  std::map<NodeKey, Holder> by_line;
  std::map<NodeKey, std::map<FrameId, Amount>> within;
  std::uint64_t all_bytes = 0;
  const auto add = [&](const std::vector<Life>& lives, const std::vector<KindOf>* kinds) {
    // They are in order of begin.
    for (std::size_t i = 0; i < lives.size() && lives[i].begin <= state; ++i) {
      if (!lives[i].lives_in(state)) continue;
      const NodeKey line = lines.line_of(record.device, lives[i]);
      Holder& holder = by_line[line];
      all_bytes += lives[i].size_bytes;
      if (const auto inner = lines.inner_line_of(lives[i])) within[line][*inner] += {lives[i].size_bytes, 1};
      holder.bytes += lives[i].size_bytes;
      ++holder.allocations;
      if (kinds != nullptr) add_share(holder.kinds, {(*kinds)[i], {lives[i].size_bytes, 1}});
    }
  };
  if (kind == TimelineKind::segments) {
    add(record.ranges, nullptr);
  } else {
    add(record.lives, record.kinds ? &record.kinds->lives : nullptr);
    add(record.freed_baseline, record.kinds ? &record.kinds->freed_baseline : nullptr);
    add(record.kept_baseline, record.kinds ? &record.kinds->kept_baseline : nullptr);
  }
  std::vector<Holder> holders;
  for (auto& [key, holder] : by_line) {
    holder.key = key;
    holders.push_back(std::move(holder));
  }
  const FrameOrder order(frames);
  std::sort(holders.begin(), holders.end(), [&](const Holder& left, const Holder& right) {
    return left.bytes != right.bytes ? left.bytes > right.bytes : order.is_before(left.key, right.key);
  });
  if (!holders.empty() && holders.front().bytes > all_bytes / 2)
    holders.front().within = largest_within(within[holders.front().key], holders.front().bytes, order);
  return holders;
}

KindShares held_kinds(const std::vector<Holder>& holders) {
  KindShares kinds;
  for (const Holder& holder : holders)
    add_shares(kinds, holder.kinds);
  return kinds;
}

} // namespace memviz
