#include "analysis/tree/frame_order.hpp"
#include "analysis/tree/no_stack.hpp"
#include "memviz/flame.hpp"
#include "memviz/timeline.hpp"

#include <algorithm>
#include <map>

namespace memviz {
namespace {

class Holders {
public:
  explicit Holders(const FrameTable& frames) : frames_(frames), finder_(frames) {}

  void add(NodeKey key, std::uint64_t bytes) {
    Amount& amount = amounts_[key];
    amount += {bytes, 1};
  }

  void add(const Life& life, Pseudo without_stack) {
    if (frames_.stack(life.stack).empty()) return add(NodeKey::of(without_stack), life.size_bytes);
    add(finder_.line_of(life.stack), life.size_bytes);
  }

  [[nodiscard]] std::vector<Holder> ranked() const {
    std::vector<Holder> holders;
    for (const auto& [key, amount] : amounts_)
      holders.push_back({key, amount.bytes, amount.blocks});
    const FrameOrder order(frames_);
    std::sort(holders.begin(), holders.end(), [&](const Holder& left, const Holder& right) {
      return left.bytes != right.bytes ? left.bytes > right.bytes : order.is_before(left.key, right.key);
    });
    return holders;
  }

private:
  const FrameTable& frames_;
  UserLineFinder finder_;
  std::map<NodeKey, Amount> amounts_;
};

} // namespace

std::vector<Holder> holders_at(const Snapshot& snapshot, const Replay& accounts, const DeviceRecord& record,
                               TimelineKind kind, std::uint32_t state) {
  const NoStackReasons no_stack(snapshot, accounts);
  const Pseudo before = no_stack.unexplained(record.device);
  Holders holders(snapshot.frames);
  // They stand in order of begin.
  for (const Life& life : kind == TimelineKind::segments ? record.ranges : record.lives) {
    if (life.begin > state) break;
    if (life.lives_in(state)) holders.add(life, life.begin == 0 ? before : Pseudo::without_stack);
  }
  if (kind == TimelineKind::segments) return holders.ranked();
  for (const Life& life : record.freed_baseline)
    if (life.lives_in(state)) holders.add(NodeKey::of(before), life.size_bytes);
  for (std::size_t i = 0; i < record.kept_baseline.size(); ++i)
    holders.add(record.kept_baseline[i], no_stack.reason(record.device, record.kept_blocks[i]));
  return holders.ranked();
}

} // namespace memviz
