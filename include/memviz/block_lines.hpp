#pragma once

// MemoryState -> for each block in use, the line of the user's own code that allocated it.

#include "memviz/flame.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace memviz {

/// The value for a block that is not in use, or not on the requested device.
inline constexpr std::uint32_t kNoLine = std::numeric_limits<std::uint32_t>::max();

struct BlockLines {
  std::vector<UserLine> lines;         ///< the result of rank_user_lines()
  std::vector<std::uint32_t> of_block; ///< by block index: an index into `lines`, or kNoLine
};

/// Returns the lines of the blocks of `device`, or of all devices.
[[nodiscard]] BlockLines block_lines(const MemoryState& state, std::optional<DeviceId> device);

} // namespace memviz
