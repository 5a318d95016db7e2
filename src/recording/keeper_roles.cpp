#include "recording/keeper_roles.hpp"

#include "recording/module_names.hpp"

#include <string_view>

namespace memviz {
namespace {

bool is_container(KeeperKind kind) {
  return kind == KeeperKind::dict || kind == KeeperKind::list || kind == KeeperKind::tuple || kind == KeeperKind::set ||
         kind == KeeperKind::deque;
}

bool is_tensor(KeeperKind kind) {
  return kind == KeeperKind::tensor || kind == KeeperKind::parameter;
}

bool is_attribute(ReferenceKind how) {
  return how == ReferenceKind::attribute || how == ReferenceKind::slot;
}

/// Whether it leads from a container to an item, not to a key.
bool is_item(ReferenceKind how) {
  return how == ReferenceKind::key || how == ReferenceKind::other_key || how == ReferenceKind::index ||
         how == ReferenceKind::item;
}

bool has_part(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

} // namespace

KeeperRoles::KeeperRoles(const KeeperGraph& graph, const Adjacency& references, const FrameTable& texts)
    : graph_(graph), references_(references), texts_(texts), roles_(graph.objects.size()),
      has_memory_(graph.objects.size()) {
  named_after_.reserve(graph.objects.size());
  for (std::uint32_t i = 0; i < graph.objects.size(); ++i)
    named_after_.push_back({i});
  for (const KeptStorage& storage : graph.storages)
    has_memory_[storage.object.value] = true;
  add_tensors();
  for (const KeeperReference& one : graph.references)
    if (graph.objects[one.from.value].kind == KeeperKind::optimizer && is_attribute(one.how)) add_optimizer(one);
  add_caches();
}

bool KeeperRoles::give(KeeperId object, Role role) {
  Set& roles = roles_[object.value];
  const bool is_new = (roles & role) == 0;
  roles = static_cast<Set>(roles | role);
  return is_new;
}

void KeeperRoles::add_tensors() {
  for (std::uint32_t i = 0; i < graph_.objects.size(); ++i) {
    const KeeperKind kind = graph_.objects[i].kind;
    if (kind == KeeperKind::parameter) spread({i}, parameter);
    if (kind == KeeperKind::autograd) give({i}, in_graph);
  }
  for (const KeeperReference& one : graph_.references) {
    if (is_of_module(graph_, one) && !is_cache(one.from)) spread(one.to, parameter);
    if (one.how == ReferenceKind::saved && texts_.text(one.label) != "variable") give(one.to, in_graph);
    if (is_precise_copy(one)) spread(one.to, precise);
    if (one.how != ReferenceKind::grad) continue;
    if (named_after_[one.to.value] == one.to) named_after_[one.to.value] = one.from;
    spread(one.to, gradient);
  }
}

/// Optimizers with mixed precision keep copies of the parameters, for which the optimizer within has the place of
/// parameters.
bool KeeperRoles::is_precise_copy(const KeeperReference& reference) const {
  const std::string_view label = texts_.text(reference.label);
  const KeeperKind holder = graph_.objects[reference.from.value].kind;
  return is_attribute(reference.how) && (holder == KeeperKind::instance || holder == KeeperKind::optimizer) &&
         (has_part(label, "fp32") || has_part(label, "master"));
}

void KeeperRoles::add_optimizer(const KeeperReference& attribute) {
  const std::string_view label = texts_.text(attribute.label);
  if (label == "state") spread(attribute.to, state);
  if (label == "param_groups") add_groups(attribute.to);
}

void KeeperRoles::add_groups(KeeperId list) {
  if (!give(list, is_group)) return;
  for (const std::uint32_t number : references_.of(list.value)) {
    const KeeperId group = graph_.references[number].to;
    if (!give(group, is_group)) continue;
    for (const std::uint32_t entry : references_.of(group.value)) {
      const KeeperReference& one = graph_.references[entry];
      if (one.how == ReferenceKind::key) spread(one.to, texts_.text(one.label) == "params" ? optimized : state);
    }
  }
}

void KeeperRoles::add_caches() {
  for (std::uint32_t i = 0; i < graph_.objects.size(); ++i)
    if (is_cache({i})) spread({i}, cache);
  for (const KeeperReference& one : graph_.references) {
    const std::string_view label = texts_.text(one.label);
    const bool is_named = label == "kv_cache" || label == "kv_caches";
    if (is_named && is_attribute(one.how) && texts_.text(graph_.objects[one.from.value].name).starts_with("vllm."))
      spread(one.to, cache);
  }
}

/// Whether its class is one of a library's caches of keys and values.
bool KeeperRoles::is_cache(KeeperId object) const {
  const KeeperObject& one = graph_.objects[object.value];
  if (one.kind != KeeperKind::instance && one.kind != KeeperKind::module) return false;
  const std::string_view name = texts_.text(one.name);
  return name.starts_with("transformers.cache_utils.") || name.starts_with("sglang.srt.mem_cache.");
}

/// Gives an object this role, and those that have it through containers, and as parts of a tensor that is made of
/// others.
void KeeperRoles::spread(KeeperId first, Role role) {
  std::vector<KeeperId> pending{first};
  while (!pending.empty()) {
    const KeeperId object = pending.back();
    pending.pop_back();
    if (!give(object, role)) continue;
    for (const std::uint32_t number : references_.of(object.value)) {
      const KeeperReference& one = graph_.references[number];
      if (!leads_on(one, role)) continue;
      if (is_tensor(graph_.objects[object.value].kind) && named_after_[one.to.value] == one.to)
        named_after_[one.to.value] = object;
      pending.push_back(one.to);
    }
  }
}

bool KeeperRoles::leads_on(const KeeperReference& reference, Role role) const {
  const KeeperKind from = graph_.objects[reference.from.value].kind;
  const KeeperKind to = graph_.objects[reference.to.value].kind;
  if (is_container(from)) return is_item(reference.how) && (is_container(to) || is_tensor(to) || role == cache);
  // A tensor without memory is made of others, such as a DTensor of what this rank has.
  if (is_tensor(from))
    return !has_memory_[reference.from.value] && is_attribute(reference.how) && is_tensor(to) &&
           !has_part(texts_.text(reference.label), "grad");
  if (role != cache || !is_cache(reference.from)) return false;
  return is_container(to) || is_tensor(to) || is_cache(reference.to);
}

std::optional<MemoryKind> KeeperRoles::kind_of(Set roles) {
  const auto is = [&](Set any) { return (roles & any) != 0; };
  const bool is_parameter = is(parameter) || (is(optimized) && !is(precise));
  if (is(cache)) {
    const bool is_other = is_parameter || is(gradient | state | in_graph);
    return is_other ? std::nullopt : std::optional(MemoryKind::kv_cache);
  }
  if (is_parameter && is(gradient)) return std::nullopt;
  if (is_parameter) return MemoryKind::parameter;
  if (is(gradient)) return MemoryKind::gradient;
  return is(state) ? std::optional(MemoryKind::optimizer_state) : std::nullopt;
}

KeeperId KeeperRoles::named_tensor(KeeperId tensor) const {
  // A part of the gradient of a parameter is three steps from it; the bound is for references in a circle.
  constexpr int kMostSteps = 8;
  for (int i = 0; i < kMostSteps && named_after_[tensor.value] != tensor; ++i)
    tensor = named_after_[tensor.value];
  return tensor;
}

} // namespace memviz
