#include "analysis/keepers/retained.hpp"

#include <cstddef>
#include <utility>

namespace memviz {
namespace {

std::uint32_t node_of(KeeperId object) {
  return object.value + 1;
}

} // namespace

Retained::Retained(const Recording& recording, std::span<const BlockHolder> holders) : recording_(recording) {
  const KeeperGraph& graph = recording.keepers;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  edges.reserve(graph.roots.size() + graph.references.size() + holders.size());
  for (const RootObject& root : graph.roots)
    edges.emplace_back(0, node_of(root.object));
  for (const KeeperReference& one : graph.references)
    edges.emplace_back(node_of(one.from), node_of(one.to));
  first_block_ = static_cast<std::uint32_t>(graph.objects.size() + 1);
  for (const BlockHolder& holder : holders)
    edges.emplace_back(node_of(holder.object), first_block_ + holder.block);
  tree_ = dominators(first_block_ + static_cast<std::uint32_t>(recording.end.blocks.size()), edges);
}

std::vector<std::uint64_t> Retained::bytes_of(std::span<const std::uint32_t> blocks) const {
  std::vector<std::uint64_t> bytes(tree_.parent.size());
  for (const std::uint32_t block : blocks)
    bytes[first_block_ + block] = recording_.end.blocks[block].requested_bytes;
  for (std::size_t i = tree_.order.size(); i-- > 1;)
    bytes[tree_.parent[tree_.order[i]]] += bytes[tree_.order[i]];
  return {bytes.begin() + 1, bytes.begin() + first_block_};
}

} // namespace memviz
