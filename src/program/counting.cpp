#include "program/counting.hpp"

#include "program/formulas.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace memviz::program {
namespace {

/// Only needed to decide which of two branches is more expensive, for symbols without a value.
constexpr std::int64_t kAnySize = 1024;

std::vector<GraphId> graphs_of(const Node& node) {
  std::vector<GraphId> graphs;
  for (const Argument& argument : node.arguments) {
    if (argument.kind == Argument::Kind::graph) graphs.push_back(argument.graph);
  }
  return graphs;
}

class Counter {
public:
  explicit Counter(const Program& program) : program_(program) {}

  Counting run() {
    Counting counting;
    counting.products = products_of(0, Polynomial(1), kWholeModel);
    for (auto& [name, calls] : uncounted_)
      counting.uncounted.push_back({name, uncounted_reason(name), calls});
    for (const auto& [note, times] : notes_)
      counting.notes.push_back({note.first, note.second, times});
    return counting;
  }

private:
  /// Returns the products of a graph that runs `times` times.
  std::vector<Product> products_of(GraphId id, const Polynomial& times, ModuleId outer) {
    const Graph& graph = program_.graphs[id];
    std::vector<Product> products;
    for (const Node& node : graph.nodes) {
      const ModuleId module = node.module == kWholeModel ? outer : node.module;
      if (std::optional<Polynomial> flops = flops_of(node, graph)) {
        const std::uint64_t calls = times.is_number() ? static_cast<std::uint64_t>(times.number()) : 1;
        products.push_back({&node, id, module, calls, *flops *= times});
        continue;
      }
      std::vector<Product> inner = products_below(node, graph, times, module);
      products.insert(products.end(), std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
    }
    return products;
  }

  /// Returns the products of the graphs that a node runs; a node without graphs is not counted.
  std::vector<Product> products_below(const Node& node, const Graph& graph, const Polynomial& times, ModuleId module) {
    const std::vector<GraphId> graphs = graphs_of(node);
    const std::string_view name = operator_of(node.target);
    if (graphs.empty()) {
      ++uncounted_[std::string(name)];
      return {};
    }
    if (name == "higher_order.cond") return dearest(graphs, times, module);
    if (name == "higher_order.while_loop") ++notes_[{FlopAssumption::while_loop_once, ""}];
    const Polynomial rounds = times * rounds_of(name, node, graph);
    std::vector<Product> products;
    for (const GraphId inner : graphs) {
      std::vector<Product> more = products_of(inner, rounds, module);
      products.insert(products.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    return products;
  }

  /// map and scan run their graph once for each slice of the tensors they iterate over: the first list of tensors of
  /// `map`, the second of `scan`, whose first is the carried state.
  [[nodiscard]] Polynomial rounds_of(std::string_view name, const Node& node, const Graph& graph) {
    const bool is_map = name == "higher_order.map_impl" || name == "higher_order.map";
    const bool is_scan = name == "higher_order.scan";
    if (!is_map && !is_scan) return 1;
    std::size_t lists = 0;
    for (const Argument& argument : node.arguments) {
      if (argument.kind != Argument::Kind::tensors || argument.tensors.empty() || ++lists != (is_map ? 1 : 2)) continue;
      const std::vector<Polynomial>& sizes = graph.tensors[argument.tensors.front()].sizes;
      if (!sizes.empty()) return sizes.front();
    }
    ++notes_[{FlopAssumption::loop_once, std::string(name)}];
    return 1;
  }

  std::vector<Product> dearest(const std::vector<GraphId>& graphs, const Polynomial& times, ModuleId module) {
    std::vector<Product> best;
    std::int64_t best_flops = -1;
    std::map<std::int64_t, int> costs;
    for (const GraphId graph : graphs) {
      std::vector<Product> products = products_of(graph, times, module);
      Polynomial sum;
      for (const Product& product : products)
        sum += product.flops;
      const std::int64_t flops = program_.symbols.value_or(sum, kAnySize);
      ++costs[flops];
      if (flops <= best_flops) continue;
      best_flops = flops;
      best = std::move(products);
    }
    if (costs.size() > 1) ++notes_[{FlopAssumption::dearer_branch, ""}];
    return best;
  }

  const Program& program_;
  std::map<std::string, std::uint64_t> uncounted_;
  std::map<std::pair<FlopAssumption, std::string>, std::uint64_t> notes_;
};

} // namespace

Counting count_products(const Program& program) {
  return Counter(program).run();
}

} // namespace memviz::program
