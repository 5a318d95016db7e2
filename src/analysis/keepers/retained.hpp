#pragma once

// The objects and the blocks that they hold -> the bytes that become free if an object goes.

#include "analysis/keepers/dominators.hpp"
#include "memviz/recording.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

class Retained {
public:
  explicit Retained(const Recording& recording);

  /// Returns the requested bytes of these blocks that go with each object, by KeeperId.
  [[nodiscard]] std::vector<std::uint64_t> bytes_of(std::span<const std::uint32_t> blocks) const;

private:
  const Recording& recording_;
  DominatorTree tree_; ///< node 0 is before all roots; then the objects, and, as leaves, the blocks
  std::uint32_t first_block_ = 0;
};

} // namespace memviz
