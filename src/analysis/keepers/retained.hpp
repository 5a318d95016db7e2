#pragma once

// References and the blocks that objects hold -> the bytes that go with each object: those that all paths reach
// through it.

#include "analysis/keepers/dominators.hpp"
#include "memviz/recording.hpp"
#include "recording/block_holders.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

/// The dominator tree of the objects and, as its leaves, of the blocks that they hold. Node 0 is before all roots.
class Retained {
public:
  /// `recording` must outlive this object.
  Retained(const Recording& recording, std::span<const BlockHolder> holders);

  /// Returns the bytes of these blocks that would go with each object, by node.
  [[nodiscard]] std::vector<std::uint64_t> bytes_of(std::span<const std::uint32_t> blocks) const;
  [[nodiscard]] static std::uint32_t node_of(KeeperId object) { return object.value + 1; }

private:
  const Recording& recording_;
  DominatorTree tree_;
  std::uint32_t first_block_ = 0;
};

} // namespace memviz
