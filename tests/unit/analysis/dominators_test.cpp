#include "analysis/keepers/dominators.hpp"

#include <chrono>
#include <doctest/doctest.h>
#include <random>
#include <vector>

using namespace memviz;

namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Whether node 0 reaches each node on paths without `removed`.
std::vector<bool> reached_without(std::uint32_t nodes, const Edges& edges, std::uint32_t removed) {
  std::vector<bool> reached(nodes);
  reached[0] = removed != 0;
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (const auto& [from, to] : edges)
      if (reached[from] && !reached[to] && to != removed) {
        reached[to] = true;
        is_done = false;
      }
  }
  return reached;
}

bool is_dominated(const DominatorTree& tree, std::uint32_t node, std::uint32_t by) {
  for (; node != kNoDominator; node = tree.parent[node])
    if (node == by) return true;
  return false;
}

} // namespace

TEST_CASE("an object is dominated by those without which nothing reaches it") {
  std::mt19937 generator(20261128);
  const auto below = [&](std::uint32_t most) { return static_cast<std::uint32_t>(generator() % most); };
  for (int round = 0; round < 300; ++round) {
    const std::uint32_t nodes = 2 + below(12);
    Edges edges(below(3 * nodes));
    for (auto& [from, to] : edges) {
      from = below(nodes);
      to = below(nodes);
    }
    const DominatorTree tree = dominators(nodes, edges);
    const std::vector<bool> reached = reached_without(nodes, edges, kNoDominator);
    for (std::uint32_t by = 0; by < nodes; ++by) {
      const std::vector<bool> without = reached_without(nodes, edges, by);
      for (std::uint32_t node = 0; node < nodes; ++node) {
        const bool is_lost = reached[node] && reached[by] && !without[node];
        CHECK((reached[node] && is_dominated(tree, node, by)) == is_lost);
      }
    }
  }
}

TEST_CASE("the order of the dominator tree has each node after its dominator") {
  const DominatorTree tree = dominators(6, Edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 3}});
  CHECK(tree.parent == std::vector<std::uint32_t>{kNoDominator, 0, 0, 0, 3, kNoDominator});
  CHECK(tree.order == std::vector<std::uint32_t>{0, 1, 3, 4, 2});
}

TEST_CASE("dominators of a long chain with references back and forth take time in proportion") {
  constexpr std::uint32_t kNodes = 200000;
  std::mt19937 generator(7);
  Edges edges;
  for (std::uint32_t node = 0; node + 1 < kNodes; ++node) {
    edges.emplace_back(node, node + 1);
    for (int back = 0; back < 4; ++back)
      edges.emplace_back(node, static_cast<std::uint32_t>(generator() % (node + 1)));
  }
  edges.emplace_back(0, kNodes - 1);
  const auto begin = std::chrono::steady_clock::now();
  const DominatorTree tree = dominators(kNodes, edges);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(tree.order.size() == kNodes);
  CHECK(tree.parent[kNodes - 1] == 0);
  CHECK(tree.parent[kNodes - 2] < kNodes - 2);
  CHECK(took.count() < 5); // 0.1 s on an idle machine
}
