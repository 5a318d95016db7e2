#pragma once

// Storages of tensors -> the blocks at the end of the recording that hold them.

#include "memviz/memory_map.hpp"
#include "memviz/recording.hpp"

#include <cstdint>
#include <vector>

namespace memviz {

struct BlockHolder {
  std::uint32_t block = 0; ///< index in Recording::end
  KeeperId object;
};

/// Returns the objects that hold active blocks, in the order of Recording::keepers.storages; a storage in no active
/// block is left out.
[[nodiscard]] std::vector<BlockHolder> block_holders(const Recording& recording);

} // namespace memviz
