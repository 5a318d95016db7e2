#pragma once

// The graph of keepers -> the reference through which each object is best explained: the shortest paths from the roots,
// where steps through the program's own names cost least.

#include "base/adjacency.hpp"
#include "memviz/frames.hpp"
#include "memviz/keepers.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace memviz {

inline constexpr std::uint32_t kNoReference = std::numeric_limits<std::uint32_t>::max();

struct BestReferences {
  std::vector<KeeperId> order;          ///< the objects that a root reaches, nearest first
  std::vector<std::uint32_t> reference; ///< by object: the last one on its best path; kNoReference for a root
  std::vector<std::uint32_t> root;      ///< by object: index of its root, if no reference leads to it
  std::vector<std::uint64_t> cost;      ///< by object
};

[[nodiscard]] BestReferences best_references(const KeeperGraph& graph, const Adjacency& references,
                                             const FrameTable& texts);

} // namespace memviz
