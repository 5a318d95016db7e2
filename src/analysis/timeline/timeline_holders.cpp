#include "analysis/tree/frame_order.hpp"
#include "analysis/tree/user_lines.hpp"
#include "memviz/timeline.hpp"

#include <cstddef>

namespace memviz {

std::vector<UserLine> holders_at(const FrameTable& frames, const LifeLines& lines, const DeviceRecord& record,
                                 TimelineKind kind, std::uint32_t state) {
  LineAmounts amounts;
  const auto add = [&](const std::vector<Life>& lives, const std::vector<KindOf>* kinds) {
    // They are in order of begin.
    for (std::size_t i = 0; i < lives.size() && lives[i].begin <= state; ++i) {
      if (!lives[i].lives_in(state)) continue;
      const NodeKey line = lines.line_of(record.device, lives[i]);
      const Amount amount{lives[i].size_bytes, 1};
      if (kinds != nullptr)
        amounts.add(line, KindShare{(*kinds)[i], amount});
      else
        amounts.add(line, amount);
      if (const auto inner = lines.inner_line_of(lives[i])) amounts.add_within(line, *inner, amount);
    }
  };
  if (kind == TimelineKind::segments) {
    add(record.ranges, nullptr);
  } else {
    add(record.lives, record.kinds ? &record.kinds->lives : nullptr);
    add(record.freed_baseline, record.kinds ? &record.kinds->freed_baseline : nullptr);
    add(record.kept_baseline, record.kinds ? &record.kinds->kept_baseline : nullptr);
  }
  return amounts.ranked(FrameOrder(frames));
}

KindShares held_kinds(const std::vector<UserLine>& holders) {
  KindShares kinds;
  for (const UserLine& holder : holders)
    add_shares(kinds, holder.kinds);
  return kinds;
}

} // namespace memviz
