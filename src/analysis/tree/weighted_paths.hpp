#pragma once

// MemoryState -> the paths of its tree, each with its bytes: grouping levels, then frames, outermost first. Equal paths
// are summed by stack first, so that each stack is walked once, not once per block.

#include "memviz/flame.hpp"

#include <functional>
#include <span>

namespace memviz {

using PathVisitor = std::function<void(std::span<const NodeKey>, const Amount&)>;

/// Visits paths in an order that depends only on the snapshot. The amounts add up to the reserved bytes of the
/// requested devices and those of DeviceState::outside.
void for_each_path(const MemoryState& state, const TreeOptions& options, const PathVisitor& visit);

/// Also receives the kinds of the memory whose path ends there.
using KindPathVisitor = std::function<void(std::span<const NodeKey>, const Amount&, const KindShares&)>;

/// Visits the same with kinds: the paths of build_kind_tree(). Memory that is not in use has none.
void for_each_kind_path(const MemoryState& state, const TreeOptions& options, const KindPathVisitor& visit);

} // namespace memviz
