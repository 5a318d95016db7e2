#include "analysis/tree/no_stack.hpp"
#include "memviz/flame.hpp"
#include "memviz/keeper_table.hpp"
#include "memviz/timeline.hpp"

namespace memviz {

struct LifeLines::Known {
  Known(const MemoryState& state, const EndKeepers* end_keepers)
      : frames(state.frames()), no_stack(state), finder(state.frames()), keepers(end_keepers) {}

  const FrameTable& frames;
  NoStackReasons no_stack;
  UserLineFinder finder;
  const EndKeepers* keepers;
};

LifeLines::LifeLines(const MemoryState& state, const EndKeepers* keepers)
    : known_(std::make_unique<Known>(state, keepers)) {
}

LifeLines::~LifeLines() = default;

NodeKey LifeLines::line_of(DeviceId device, const Life& life) const {
  if (known_->keepers != nullptr) return known_->keepers->key_at(life.end == kForever, device, life.address);
  if (!known_->frames.stack(life.stack).empty()) return known_->finder.line_of(life.stack);
  if (life.begin > 0) return Pseudo::without_stack;
  return known_->no_stack.unexplained(device, life.end == kForever);
}

std::optional<FrameId> LifeLines::inner_line_of(const Life& life) const {
  if (known_->keepers != nullptr) return std::nullopt;
  return known_->finder.inner_line_of(life.stack);
}

} // namespace memviz
