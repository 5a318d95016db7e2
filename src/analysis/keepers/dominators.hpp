#pragma once

// A directed graph with one entry -> its dominator tree, by the algorithm of Lengauer and Tarjan ("A fast algorithm for
// finding dominators in a flowgraph", 1979) with path compression: O(E log N), without recursion.

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

inline constexpr std::uint32_t kNoDominator = std::numeric_limits<std::uint32_t>::max();

struct DominatorTree {
  std::vector<std::uint32_t> parent; ///< by node: the last node that all paths to it share; kNoDominator if none does
  std::vector<std::uint32_t> order;  ///< the nodes that the entry, node 0, reaches; each after its dominators
};

/// `edges`: from and to, of `nodes` nodes.
[[nodiscard]] DominatorTree dominators(std::uint32_t nodes,
                                       std::span<const std::pair<std::uint32_t, std::uint32_t>> edges);

} // namespace memviz
