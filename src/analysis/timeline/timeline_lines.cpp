#include "analysis/tree/no_stack.hpp"
#include "memviz/flame.hpp"
#include "memviz/timeline.hpp"

namespace memviz {

struct LifeLines::Known {
  Known(const MemoryState& state) : frames(state.frames()), no_stack(state), finder(state.frames()) {}

  const FrameTable& frames;
  NoStackReasons no_stack;
  UserLineFinder finder;
};

LifeLines::LifeLines(const MemoryState& state) : known_(std::make_unique<Known>(state)) {
}

LifeLines::~LifeLines() = default;

NodeKey LifeLines::line_of(DeviceId device, const Life& life) const {
  if (!known_->frames.stack(life.stack).empty()) return known_->finder.line_of(life.stack);
  if (life.begin > 0) return Pseudo::without_stack;
  return known_->no_stack.unexplained(device, life.end == kForever);
}

std::optional<FrameId> LifeLines::inner_line_of(const Life& life) const {
  return known_->finder.inner_line_of(life.stack);
}

} // namespace memviz
