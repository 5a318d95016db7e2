#include "analysis/tree/no_stack.hpp"
#include "memviz/flame.hpp"
#include "memviz/timeline.hpp"

namespace memviz {

struct LifeLines::Known {
  Known(const Snapshot& snapshot, const Replay& accounts)
      : frames(snapshot.frames), no_stack(snapshot, accounts), finder(snapshot.frames) {}

  const FrameTable& frames;
  NoStackReasons no_stack;
  UserLineFinder finder;
};

LifeLines::LifeLines(const Snapshot& snapshot, const Replay& accounts)
    : known_(std::make_unique<Known>(snapshot, accounts)) {
}

LifeLines::~LifeLines() = default;

NodeKey LifeLines::line_of(std::uint32_t device, const Life& life) const {
  if (!known_->frames.stack(life.stack).empty()) return known_->finder.line_of(life.stack);
  return NodeKey::of(life.begin == 0 ? known_->no_stack.unexplained(device, life.end == kForever)
                                     : Pseudo::without_stack);
}

} // namespace memviz
