#pragma once

// Keepers -> the list of those that keep most, below a flame graph by keeper.

#include "page/ranked_list.hpp"

#include "memviz/keeper_table.hpp"

#include <cstdint>

namespace memviz::render {

struct KeeperListOptions {
  std::uint64_t requested_bytes = 0; ///< the whole, of which rows have shares
  bool by_kind = false;              ///< whether colours are kinds of memory, as far as they are known
};

[[nodiscard]] RankedList keeper_list(const FrameTable& frames, const KeeperLines& keepers,
                                     const KeeperListOptions& options);

} // namespace memviz::render
