#pragma once

// The best paths to all blocks, from what holds them.

#include "memviz/keeper_answers.hpp"
#include "recording/block_holders.hpp"

#include <span>

namespace memviz {

/// `holders` as block_holders() returns them.
[[nodiscard]] KeeperPaths keeper_paths(const Recording& recording, std::span<const BlockHolder> holders);

} // namespace memviz
