#pragma once

// MemoryState -> the paths of its tree, each with its bytes: grouping levels, then frames, outermost first. Equal paths
// are summed by stack first, so that a stack is walked once, not once a block.

#include "memviz/flame.hpp"

#include <functional>
#include <span>

namespace memviz {

using PathVisitor = std::function<void(std::span<const NodeKey>, const Amount&)>;

/// Visits in an order that depends on the snapshot only. The amounts add up to the reserved bytes of the devices asked
/// for, with those of DeviceState::outside.
void for_each_path(const MemoryState& state, const TreeOptions& options, const PathVisitor& visit);

/// Gets the kinds of the memory whose path ends there as well.
using KindPathVisitor = std::function<void(std::span<const NodeKey>, const Amount&, const KindShares&)>;

/// The same with kinds: the paths of build_kind_tree(). Of what is not in use there are none.
void for_each_kind_path(const MemoryState& state, const TreeOptions& options, const KindPathVisitor& visit);

} // namespace memviz
