#include "analysis/keepers/dominators.hpp"

#include "base/adjacency.hpp"

#include <algorithm>
#include <cstddef>

namespace memviz {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

/// Numbers in the order of a depth-first search: the node of each, its number, and the number of its parent.
struct Search {
  std::vector<std::uint32_t> order;
  std::vector<std::uint32_t> number; ///< kNoDominator for nodes that are not reached
  std::vector<std::uint32_t> parent; ///< by number
};

Search search(std::uint32_t nodes, const Adjacency& successors) {
  Search found{{}, std::vector(nodes, kNoDominator), {}};
  struct Open {
    std::uint32_t node;
    std::size_t next;
  };
  std::vector<Open> open;
  const auto enter = [&](std::uint32_t node, std::uint32_t parent) {
    found.number[node] = static_cast<std::uint32_t>(found.order.size());
    found.order.push_back(node);
    found.parent.push_back(parent);
    open.push_back({node, 0});
  };
  if (nodes > 0) enter(0, 0);
  while (!open.empty()) {
    Open& last = open.back();
    const auto next = successors.of(last.node);
    if (last.next == next.size()) {
      open.pop_back();
      continue;
    }
    const std::uint32_t node = last.node;
    const std::uint32_t child = next[last.next++];
    if (found.number[child] == kNoDominator) enter(child, found.number[node]);
  }
  return found;
}

/// The forest that the algorithm links, by numbers of the search.
class Forest {
public:
  explicit Forest(std::size_t count) : ancestor_(count, kNoDominator), label_(count), semi_(count) {
    for (std::uint32_t i = 0; i < count; ++i)
      label_[i] = semi_[i] = i;
  }
  void link(std::uint32_t parent, std::uint32_t child) { ancestor_[child] = parent; }
  [[nodiscard]] std::uint32_t semi(std::uint32_t node) const { return semi_[node]; }
  void lower_semi(std::uint32_t node, std::uint32_t semi) { semi_[node] = std::min(semi_[node], semi); }

  /// Returns the node with the lowest semidominator on the path to the root of its tree.
  std::uint32_t best(std::uint32_t node) {
    if (ancestor_[node] == kNoDominator) return node;
    compress(node);
    return label_[node];
  }

private:
  void compress(std::uint32_t node) {
    path_.clear();
    for (; ancestor_[ancestor_[node]] != kNoDominator; node = ancestor_[node])
      path_.push_back(node);
    for (; !path_.empty(); path_.pop_back()) {
      const std::uint32_t below = path_.back();
      const std::uint32_t above = ancestor_[below];
      if (semi_[label_[above]] < semi_[label_[below]]) label_[below] = label_[above];
      ancestor_[below] = ancestor_[above];
    }
  }

  std::vector<std::uint32_t> ancestor_;
  std::vector<std::uint32_t> label_;
  std::vector<std::uint32_t> semi_;
  std::vector<std::uint32_t> path_; ///< kept across calls to save allocations
};

/// Returns the number of the dominator of each number.
std::vector<std::uint32_t> dominator_numbers(const Search& found, const Adjacency& predecessors) {
  const auto count = static_cast<std::uint32_t>(found.order.size());
  Forest forest(count);
  std::vector<std::uint32_t> dominator(count, 0);
  std::vector<std::uint32_t> first_in_bucket(count, kNoDominator);
  std::vector<std::uint32_t> next_in_bucket(count, kNoDominator);
  for (std::uint32_t node = count; node-- > 1;) {
    for (const std::uint32_t predecessor : predecessors.of(found.order[node]))
      if (const std::uint32_t number = found.number[predecessor]; number != kNoDominator)
        forest.lower_semi(node, forest.semi(forest.best(number)));
    const std::uint32_t semi = forest.semi(node);
    next_in_bucket[node] = first_in_bucket[semi];
    first_in_bucket[semi] = node;
    const std::uint32_t parent = found.parent[node];
    forest.link(parent, node);
    for (std::uint32_t one = first_in_bucket[parent]; one != kNoDominator; one = next_in_bucket[one]) {
      const std::uint32_t best = forest.best(one);
      dominator[one] = forest.semi(best) < forest.semi(one) ? best : parent;
    }
    first_in_bucket[parent] = kNoDominator;
  }
  for (std::uint32_t node = 1; node < count; ++node)
    if (dominator[node] != forest.semi(node)) dominator[node] = dominator[dominator[node]];
  return dominator;
}

} // namespace

DominatorTree dominators(std::uint32_t nodes, std::span<const Edge> edges) {
  const auto from = [&](std::size_t edge) { return edges[edge].first; };
  const auto to = [&](std::size_t edge) { return edges[edge].second; };
  Search found = search(nodes, Adjacency(nodes, edges.size(), from, to));
  const std::vector<std::uint32_t> numbers = dominator_numbers(found, Adjacency(nodes, edges.size(), to, from));
  DominatorTree tree{std::vector(nodes, kNoDominator), {}};
  for (std::size_t i = 1; i < found.order.size(); ++i)
    tree.parent[found.order[i]] = found.order[numbers[i]];
  tree.order = std::move(found.order);
  return tree;
}

} // namespace memviz
