#include "program/saved.hpp"

#include "program/formulas.hpp"
#include "program/saved_rules.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace memviz::program {
namespace {

/// The facts about a tensor during the walk over the program.
struct Flow {
  std::size_t storage = 0; ///< index into Walker::storages_
  bool needs_gradient = false;
};

struct Storage {
  Polynomial bytes;
  bool is_weight = false;
  bool is_kept = false;
  bool is_by_token = false; ///< stored by token and then by head, whatever strides the program records
};

class Walker {
public:
  explicit Walker(const Program& program) : program_(program) {}

  SavedTensors run() {
    const Graph& graph = program_.graphs.front();
    std::vector<Flow> flows = new_flows(graph);
    for (const Weight& weight : program_.weights) {
      flows[weight.tensor].needs_gradient = weight.is_parameter && graph.tensors[weight.tensor].is_floating;
      storages_[flows[weight.tensor].storage].is_weight = true;
    }
    walk(graph, flows, true, kWholeModel);
    for (const auto& [name, assumption] : unknown_)
      saved_.notes.push_back({assumption, name});
    for (const FlopAssumption assumption : assumptions_)
      saved_.notes.push_back({assumption});
    return std::move(saved_);
  }

private:
  std::vector<Flow> new_flows(const Graph& graph) {
    std::vector<Flow> flows;
    flows.reserve(graph.tensors.size());
    for (const Tensor& tensor : graph.tensors) {
      flows.push_back({storages_.size(), false});
      storages_.push_back({Polynomial(tensor.element_bytes) * product_of(tensor.sizes)});
    }
    return flows;
  }

  void walk(const Graph& graph, std::vector<Flow>& flows, bool has_gradients, ModuleId outer) {
    for (const Node& node : graph.nodes) {
      const ModuleId module = node.module == kWholeModel ? outer : node.module;
      const std::optional<GraphId> inner = only_graph(node);
      if (inner)
        walk_inner(node, *inner, flows, has_gradients, module);
      else
        pass(node, graph, flows, has_gradients, module);
    }
  }

  static std::optional<GraphId> only_graph(const Node& node) {
    for (const Argument& argument : node.arguments) {
      if (argument.kind == Argument::Kind::graph) return argument.graph;
    }
    return std::nullopt;
  }

  /// The graph of a higher-order operator takes the last of its tensors. Of two branches the first is walked; loops are
  /// unknown.
  void walk_inner(const Node& node, GraphId id, std::vector<Flow>& flows, bool has_gradients, ModuleId module) {
    const Graph& graph = program_.graphs[id];
    const std::string_view name = operator_of(node.target);
    if (name == "higher_order.wrap_with_autocast") unknown_.emplace(name, FlopAssumption::uncast_kept);
    if (name == "higher_order.cond") unknown_.emplace(name, FlopAssumption::first_kept);
    if (name == "higher_order.while_loop" || name == "higher_order.scan" || name == "higher_order.map_impl") {
      unknown_.emplace(name, FlopAssumption::unknown_kept);
      return;
    }
    std::vector<TensorId> given;
    bool turns_off = false;
    for (const Argument& argument : node.arguments) {
      given.insert(given.end(), argument.tensors.begin(), argument.tensors.end());
      const bool is_switch = name == "higher_order.wrap_with_set_grad_enabled";
      if (is_switch && argument.kind == Argument::Kind::boolean) turns_off = !argument.boolean;
    }
    std::vector<Flow> inner = new_flows(graph);
    const std::size_t count = std::min(given.size(), graph.inputs.size());
    for (std::size_t i = 0; i < count; ++i)
      inner[graph.inputs[graph.inputs.size() - count + i]] = flows[given[given.size() - count + i]];
    walk(graph, inner, has_gradients && !turns_off, module);
    for (std::size_t i = 0; i < std::min(node.outputs.size(), graph.outputs.size()); ++i)
      flows[node.outputs[i]] = inner[graph.outputs[i]];
  }

  void pass(const Node& node, const Graph& graph, std::vector<Flow>& flows, bool has_gradients, ModuleId module) {
    const Flow* first = nullptr;
    bool needs_gradient = false;
    for (const Argument& argument : node.arguments) {
      for (const TensorId tensor : argument.tensors) {
        if (first == nullptr) first = &flows[tensor];
        needs_gradient = needs_gradient || flows[tensor].needs_gradient;
      }
    }
    const bool is_detached = operator_of(node.target) == "aten.detach";
    needs_gradient = needs_gradient && has_gradients && !is_detached;
    const std::size_t storage = first == nullptr ? 0 : first->storage;
    const bool is_alias = first != nullptr && (is_view(node, graph) || is_by_token(node, storage));
    bool has_result = false;
    for (const TensorId tensor : node.outputs) {
      if (is_alias) flows[tensor].storage = storage;
      flows[tensor].needs_gradient = needs_gradient && graph.tensors[tensor].is_floating;
      has_result = has_result || flows[tensor].needs_gradient;
    }
    if (operator_of(node.target) == "aten.scaled_dot_product_attention" && !node.outputs.empty())
      storages_[flows[node.outputs.front()].storage].is_by_token = true;
    if (has_result) keep(node, graph, flows, module);
  }

  /// The fused kernels of attention store their result in the order that the following projection needs, so that
  /// joining the heads of a token copies nothing. The strides in a program are those of the kernel used while
  /// exporting. Source: mha_fwd() in aten/src/ATen/native/transformers/cuda/flash_attn/flash_api.cpp.
  [[nodiscard]] bool is_by_token(const Node& node, std::size_t storage) const {
    const std::string_view name = operator_of(node.target);
    return storages_[storage].is_by_token &&
           (name == "aten.reshape" || name == "aten.contiguous" || name == "aten.flatten");
  }

  void keep(const Node& node, const Graph& graph, const std::vector<Flow>& flows, ModuleId module) {
    const auto rules = keep_rules(node.target);
    if (!rules) {
      unknown_.emplace(operator_of(node.target), FlopAssumption::unknown_kept);
      return;
    }
    for (const KeepRule& rule : *rules) {
      if (!rule.other.empty() && !needs_gradient(node, rule, flows)) continue;
      if (rule.keep == Keep::result && rule.place < node.outputs.size())
        keep_storage(flows[node.outputs[rule.place]], module);
      if (rule.keep == Keep::operand || rule.keep == Keep::factor) keep_operand(node, graph, rule, flows, module);
    }
    if (const auto assumption = assumption_of(node)) assumptions_.insert(*assumption);
    const Polynomial extra = extra_kept_bytes(node, graph);
    if (!extra.is_zero()) saved_.all.push_back({module, extra});
  }

  static bool needs_gradient(const Node& node, const KeepRule& rule, const std::vector<Flow>& flows) {
    // The two factors are next to each other; their places are not needed, because both have names.
    const Argument* const other = argument_of(node, rule.other, node.arguments.size());
    if (other == nullptr) return false;
    return std::ranges::any_of(other->tensors, [&](TensorId tensor) { return flows[tensor].needs_gradient; });
  }

  void keep_operand(const Node& node, const Graph& graph, const KeepRule& rule, const std::vector<Flow>& flows,
                    ModuleId module) {
    const Argument* const operand = argument_of(node, rule.name, rule.place);
    if (operand == nullptr) return;
    for (const TensorId tensor : operand->tensors) {
      const Flow& flow = flows[tensor];
      const auto copied = storages_[flow.storage].is_by_token || storages_[flow.storage].is_weight
                              ? std::nullopt
                              : copied_elements(node, graph, rule.name, tensor);
      if (copied)
        saved_.all.push_back({module, *copied * Polynomial(graph.tensors[tensor].element_bytes)});
      else
        keep_storage(flow, module);
    }
  }

  void keep_storage(const Flow& flow, ModuleId module) {
    Storage& storage = storages_[flow.storage];
    if (storage.is_weight || storage.is_kept) return;
    storage.is_kept = true;
    saved_.all.push_back({module, storage.bytes});
  }

  const Program& program_;
  std::vector<Storage> storages_;
  SavedTensors saved_;
  std::set<std::pair<std::string, FlopAssumption>> unknown_;
  std::set<FlopAssumption> assumptions_;
};

} // namespace

SavedTensors saved_tensors(const Program& program) {
  return Walker(program).run();
}

} // namespace memviz::program
