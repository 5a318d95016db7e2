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

class Retained {
public:
  /// `recording` must outlive this object.
  Retained(const Recording& recording, std::span<const BlockHolder> holders);

  /// Returns the requested bytes of these blocks that would go with each object, by KeeperId.
  [[nodiscard]] std::vector<std::uint64_t> bytes_of(std::span<const std::uint32_t> blocks) const;

private:
  const Recording& recording_;
  DominatorTree tree_; ///< node 0 is before all roots; then the objects, and, as leaves, the blocks
  std::uint32_t first_block_ = 0;
};

} // namespace memviz
