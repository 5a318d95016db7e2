#include "analysis/causes/untrained.hpp"

#include "base/ascii.hpp"
#include "recording/block_holders.hpp"
#include "recording/keeper_references.hpp"
#include "recording/keeper_roles.hpp"
#include "recording/module_names.hpp"

#include <string_view>
#include <vector>

namespace memviz {

namespace {

class UntrainedFinder {
public:
  UntrainedFinder(const Recording& recording, bool has_run_backward)
      : recording_(recording), graph_(recording.keepers), references_(references_by_object(graph_)),
        roles_(graph_, references_, recording.frames), names_(graph_, references_, recording.frames),
        has_run_backward_(has_run_backward), is_listed_(graph_.objects.size()), is_trained_(graph_.objects.size()),
        is_untrained_(graph_.objects.size()) {}

  [[nodiscard]] Untrained find(DeviceId device) {
    Untrained found;
    found.has_optimizer = has_optimizer();
    if (!found.has_optimizer || !are_optimized_of_modules()) return found;
    mark_listed();
    find_parameters(found);
    if (found.parameters == 0 || (has_run_backward_ && !have_kept_gradients(found.parameters))) {
      found.parameters = 0;
      return found;
    }
    mark_trained_nodes();
    add_blocks(found, device);
    return found;
  }

private:
  // The uses of what objects refer to.
  static constexpr std::uint8_t kForNothing = 1;
  static constexpr std::uint8_t kOtherwise = 2;

  [[nodiscard]] KeeperKind kind_of(KeeperId id) const { return graph_.objects[id.value].kind; }
  [[nodiscard]] std::string_view class_of(KeeperId id) const {
    return recording_.frames.text(graph_.objects[id.value].name);
  }
  [[nodiscard]] bool is(KeeperId id, KeeperRoles::Set roles) const { return (roles_.of(id) & roles) != 0; }

  /// Classes of its own stand for parts of parameters that only their library knows.
  [[nodiscard]] bool is_plain_parameter(KeeperId id) const {
    return kind_of(id) == KeeperKind::parameter && class_of(id) == "torch.nn.parameter.Parameter" &&
           names_.position(id) && !names_.is_of_optimizer_alone(id);
  }

  [[nodiscard]] bool has_optimizer() const {
    for (const KeptStorage& storage : graph_.storages)
      if (is(storage.object, KeeperRoles::optimized)) return true;
    return false;
  }

  /// Whether all that optimizers update is parameters of modules on devices.
  [[nodiscard]] bool are_optimized_of_modules() const {
    for (std::uint32_t i = 0; i < graph_.objects.size(); ++i) {
      const KeeperKind kind = graph_.objects[i].kind;
      if (is({i}, KeeperRoles::precise)) return false;
      if (!is({i}, KeeperRoles::optimized)) continue;
      if (kind == KeeperKind::list && graph_.objects[i].items != references_.of(i).size()) return false;
      if (kind != KeeperKind::list && kind != KeeperKind::tuple && !is_plain_parameter({i})) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_container(KeeperId id) const {
    const KeeperKind kind = kind_of(id);
    return kind == KeeperKind::dict || kind == KeeperKind::list || kind == KeeperKind::tuple ||
           kind == KeeperKind::set || kind == KeeperKind::deque;
  }

  /// Returns the containers that these lead to, directly or through others.
  [[nodiscard]] std::vector<bool> containers_from(std::vector<KeeperId> pending) const {
    std::vector<bool> is_reached(graph_.objects.size());
    while (!pending.empty()) {
      const KeeperId from = pending.back();
      pending.pop_back();
      for (const std::uint32_t number : references_.of(from.value)) {
        const KeeperId to = graph_.references[number].to;
        if (!is_container(to) || is_reached[to.value]) continue;
        is_reached[to.value] = true;
        pending.push_back(to);
      }
    }
    return is_reached;
  }

  /// Marks what objects besides modules and graphs refer to, and lists of variables unless a module has the list:
  /// something written by hand may update it.
  void mark_listed() {
    std::vector<KeeperId> modules;
    std::vector<KeeperId> variables;
    std::vector<KeeperId> others;
    for (std::uint32_t i = 0; i < graph_.objects.size(); ++i) {
      const KeeperKind kind = graph_.objects[i].kind;
      if (kind == KeeperKind::module)
        modules.push_back({i});
      else if (kind == KeeperKind::frame || kind == KeeperKind::globals)
        variables.push_back({i});
      else if (kind != KeeperKind::autograd && kind != KeeperKind::tensor && kind != KeeperKind::parameter &&
               !is_container({i}))
        others.push_back({i});
    }
    const std::vector<bool> is_of_module = containers_from(modules);
    const std::vector<bool> is_of_variable = containers_from(variables);
    std::vector<bool> is_of_other = containers_from(others);
    for (const KeeperId other : others)
      is_of_other[other.value] = true;
    for (const KeeperReference& one : graph_.references) {
      const std::uint32_t from = one.from.value;
      if (is_of_other[from] || (is_of_variable[from] && !is_of_module[from])) is_listed_[one.to.value] = true;
    }
  }

  [[nodiscard]] bool is_node(KeeperId id) const { return kind_of(id) == KeeperKind::autograd; }

  /// Whether it is the leaf of a parameter: the node that adds to its gradient.
  [[nodiscard]] bool is_leaf(const KeeperReference& one) const {
    return is_node(one.from) && class_of(one.from) == "AccumulateGrad" && one.how == ReferenceKind::saved;
  }

  void find_parameters(Untrained& found) {
    for (const KeeperReference& one : graph_.references) {
      const bool gets_gradient = is_leaf(one);
      const KeeperId parameter = gets_gradient ? one.to : one.from;
      if (!gets_gradient && one.how != ReferenceKind::grad) continue;
      const bool may_be_updated = is(parameter, KeeperRoles::optimized) || is_listed_[parameter.value];
      if (may_be_updated || !is_plain_parameter(parameter) || is_untrained_[parameter.value]) continue;
      is_untrained_[parameter.value] = true;
      ++found.parameters;
    }
  }

  /// Whether each untrained parameter has a gradient. What uses gradients lets go of them.
  [[nodiscard]] bool have_kept_gradients(std::uint64_t parameters) const {
    std::uint64_t kept = 0;
    for (const KeeperReference& one : graph_.references)
      if (one.how == ReferenceKind::grad && is_untrained_[one.from.value]) ++kept;
    return kept >= parameters;
  }

  /// Whether the node's class is one of PyTorch's own, "AddmmBackward0": functions of Python may compute more gradients
  /// than those that they lead to.
  [[nodiscard]] bool is_of_operator(KeeperId node) const {
    const std::string_view name = class_of(node);
    return name == "AccumulateGrad" || (!name.empty() && is_digit(name.back()));
  }

  /// Marks the nodes that lead to anything besides untrained parameters.
  void mark_trained_nodes() {
    const Adjacency users(
        graph_.objects.size(), graph_.references.size(),
        [&](std::size_t number) { return graph_.references[number].to.value; },
        [](std::size_t number) { return static_cast<std::uint32_t>(number); });
    std::vector<KeeperId> pending;
    for (std::uint32_t i = 0; i < graph_.objects.size(); ++i)
      if (is_node({i}) && !may_lead_to_nothing({i})) pending.push_back({i});
    while (!pending.empty()) {
      const KeeperId node = pending.back();
      pending.pop_back();
      if (is_trained_[node.value]) continue;
      is_trained_[node.value] = true;
      for (const std::uint32_t number : users.of(node.value)) {
        const KeeperReference& one = graph_.references[number];
        if (one.how == ReferenceKind::next) pending.push_back(one.from);
      }
    }
  }

  /// Whether the node is the leaf of an untrained parameter, or leads to other nodes.
  [[nodiscard]] bool may_lead_to_nothing(KeeperId node) const {
    if (!is_of_operator(node)) return false;
    bool leads_on = false;
    for (const std::uint32_t number : references_.of(node.value)) {
      const KeeperReference& one = graph_.references[number];
      leads_on |= one.how == ReferenceKind::next || (is_leaf(one) && is_untrained_[one.to.value]);
    }
    return leads_on;
  }

  void add_blocks(Untrained& found, DeviceId device) const {
    std::vector<std::uint8_t> uses(graph_.objects.size());
    for (const KeeperReference& one : graph_.references) {
      if (!is_node(one.from) && one.how == ReferenceKind::base) continue; // a view
      const bool is_for_nothing = is_node(one.from) ? !is_trained_[one.from.value]
                                                    : one.how == ReferenceKind::grad && is_untrained_[one.from.value];
      uses[one.to.value] |= is_for_nothing ? kForNothing : kOtherwise;
    }
    constexpr auto kLasting = static_cast<KeeperRoles::Set>(KeeperRoles::parameter | KeeperRoles::optimized |
                                                            KeeperRoles::state | KeeperRoles::cache);
    const std::vector<Block>& blocks = recording_.end.blocks;
    std::vector<std::uint8_t> block_uses(blocks.size());
    for (const BlockHolder& holder : block_holders(recording_)) {
      const KeeperId object = holder.object;
      std::uint8_t use = is_node(object) ? (is_trained_[object.value] ? kOtherwise : kForNothing) : uses[object.value];
      if (is(object, kLasting)) use |= kOtherwise;
      block_uses[holder.block] |= use;
    }
    for (const Segment& segment : recording_.end.segments) {
      if (segment.device != device) continue;
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (block_uses[i] == kForNothing) found.blocks.insert(blocks[i].address);
    }
  }

  const Recording& recording_;
  const KeeperGraph& graph_;
  Adjacency references_;
  KeeperRoles roles_;
  ModuleNames names_;
  bool has_run_backward_;
  std::vector<bool> is_listed_;    ///< by object: something written by hand may update it
  std::vector<bool> is_trained_;   ///< by object: a node that leads to a gradient that is used
  std::vector<bool> is_untrained_; ///< by object: a parameter
};

} // namespace

Untrained find_untrained(const MemoryState& state, DeviceId device, bool has_run_backward) {
  const Recording& recording = *state.recording;
  const KeeperGraph& graph = recording.keepers;
  const DeviceState* const device_state = state.device_at(device);
  if (!graph.is_recorded || graph.limit != KeeperLimit::none || device_state == nullptr ||
      !device_state->is_at_last_event())
    return {};
  return UntrainedFinder(recording, has_run_backward).find(device);
}

} // namespace memviz
