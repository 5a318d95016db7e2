#pragma once

// Edges in any order -> the edges of each node, in one flat table.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

class Adjacency {
public:
  /// The edge number i belongs to the node `node_of(i)`, and `value_of(i)` is kept of it.
  template <class NodeOf, class ValueOf>
  Adjacency(std::size_t nodes, std::size_t edges, const NodeOf& node_of, const ValueOf& value_of)
      : begins_(nodes + 1), values_(edges) {
    for (std::size_t i = 0; i < edges; ++i)
      ++begins_[std::size_t{node_of(i)} + 1];
    for (std::size_t node = 1; node < begins_.size(); ++node)
      begins_[node] += begins_[node - 1];
    std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < edges; ++i)
      values_[next[node_of(i)]++] = value_of(i);
  }

  /// Returns what is kept of the edges of a node, in the order of the edges.
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t node) const {
    return std::span(values_).subspan(begins_[node], begins_[node + 1] - begins_[node]);
  }

private:
  std::vector<std::uint32_t> begins_; ///< by node, and the end of the last one
  std::vector<std::uint32_t> values_;
};

} // namespace memviz
