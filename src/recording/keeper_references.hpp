#pragma once

// References in the order of the file -> those of each object.

#include "base/adjacency.hpp"
#include "memviz/keepers.hpp"

#include <cstddef>
#include <cstdint>

namespace memviz {

/// Returns the numbers of the references from each object.
[[nodiscard]] inline Adjacency references_by_object(const KeeperGraph& graph) {
  return {graph.objects.size(), graph.references.size(),
          [&](std::size_t number) { return graph.references[number].from.value; },
          [](std::size_t number) { return static_cast<std::uint32_t>(number); }};
}

} // namespace memviz
