#include "recording/module_names.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace memviz {
namespace {

constexpr std::size_t kMostNameBytes = 512;
constexpr std::size_t kMostModules = 64;

bool is_attribute(const KeeperReference& reference) {
  return reference.how == ReferenceKind::attribute || reference.how == ReferenceKind::slot;
}

} // namespace

bool is_of_module(const KeeperGraph& graph, const KeeperReference& reference) {
  if (graph.objects[reference.from.value].kind != KeeperKind::module) return false;
  if (reference.how == ReferenceKind::parameter || reference.how == ReferenceKind::buffer) return true;
  return is_attribute(reference) && graph.objects[reference.to.value].kind == KeeperKind::parameter;
}

ModuleNames::ModuleNames(const KeeperGraph& graph, const Adjacency& references, const FrameTable& texts)
    : graph_(graph), references_(references), texts_(texts), named_by_(graph.objects.size(), kNone),
      positions_(graph.objects.size(), kNone), is_visited_(graph.objects.size()) {
  std::vector<bool> is_part(graph.objects.size());
  for (const KeeperReference& one : graph.references)
    if (is_attribute(one) && is_module(one.from) && is_module(one.to) && one.from != one.to)
      is_part[one.to.value] = true;
  for (std::uint32_t i = 0; i < graph.objects.size(); ++i)
    if (is_module({i}) && !is_part[i]) visit_all_below({i});
  // Modules that refer to each other: the first one that was found is the outermost.
  for (std::uint32_t i = 0; i < graph.objects.size(); ++i)
    if (is_module({i})) visit_all_below({i});
  first_of_optimizers_ = next_position_;
  for (std::uint32_t i = 0; i < graph.references.size(); ++i) {
    const KeeperReference& one = graph.references[i];
    const bool is_of_optimizer = graph.objects[one.from.value].kind == KeeperKind::optimizer && is_attribute(one);
    if (is_of_optimizer && texts.text(one.label) == "param_groups") visit_groups(i);
  }
}

bool ModuleNames::add_name(std::uint32_t number) {
  const KeeperId object = graph_.references[number].to;
  if (named_by_[object.value] != kNone || positions_[object.value] != kNone) return false;
  named_by_[object.value] = number;
  return true;
}

/// Names the parameters in the groups of an optimizer. A list that several groups have is visited once.
void ModuleNames::visit_groups(std::uint32_t number) {
  if (!add_name(number)) return;
  for (const std::uint32_t group : references_.of(graph_.references[number].to.value)) {
    if (graph_.references[group].how != ReferenceKind::index || !add_name(group)) continue;
    for (const std::uint32_t entry : references_.of(graph_.references[group].to.value)) {
      const KeeperReference& one = graph_.references[entry];
      if (one.how != ReferenceKind::key || texts_.text(one.label) != "params" || !add_name(entry)) continue;
      for (const std::uint32_t item : references_.of(one.to.value)) {
        const KeeperReference& tensor = graph_.references[item];
        const KeeperKind kind = graph_.objects[tensor.to.value].kind;
        const bool is_tensor = kind == KeeperKind::parameter || kind == KeeperKind::tensor;
        if (is_tensor && tensor.how == ReferenceKind::index && add_name(item))
          positions_[tensor.to.value] = next_position_++;
      }
    }
  }
}

void ModuleNames::visit_all_below(KeeperId outermost) {
  if (is_visited_[outermost.value]) return;
  std::vector<std::uint32_t> pending; // numbers of references to modules, the next one last
  visit(outermost, pending);
  while (!pending.empty()) {
    const std::uint32_t number = pending.back();
    pending.pop_back();
    const KeeperId module = graph_.references[number].to;
    if (is_visited_[module.value]) continue;
    named_by_[module.value] = number;
    visit(module, pending);
  }
}

void ModuleNames::visit(KeeperId module, std::vector<std::uint32_t>& pending) {
  is_visited_[module.value] = true;
  const auto first = static_cast<std::ptrdiff_t>(pending.size());
  for (const std::uint32_t number : references_.of(module.value)) {
    const KeeperReference& one = graph_.references[number];
    if (is_attribute(one) && is_module(one.to)) {
      pending.push_back(number);
    } else if (is_of_module(graph_, one) && positions_[one.to.value] == kNone) {
      named_by_[one.to.value] = number;
      positions_[one.to.value] = next_position_++;
    }
  }
  std::reverse(pending.begin() + first, pending.end());
}

std::optional<std::uint32_t> ModuleNames::position(KeeperId tensor) const {
  const std::uint32_t position = positions_[tensor.value];
  return position == kNone ? std::nullopt : std::optional(position);
}

/// The wrappers of PyTorch put themselves between a module and its name.
bool ModuleNames::is_wrapper_step(const KeeperReference& reference) const {
  static constexpr std::array<std::string_view, 3> kLabels{"_orig_mod", "_fsdp_wrapped_module",
                                                           "_checkpoint_wrapped_module"};
  const std::string_view label = texts_.text(reference.label);
  if (std::ranges::find(kLabels, label) != kLabels.end()) return true;
  const std::string_view holder = texts_.text(graph_.objects[reference.from.value].name);
  return label == "module" && (holder.ends_with(".DistributedDataParallel") || holder.ends_with(".DataParallel"));
}

std::string ModuleNames::name(KeeperId tensor) const {
  std::vector<std::string> parts; // the last one first
  std::size_t bytes = 0;
  KeeperId object = tensor;
  for (std::size_t depth = 0; named_by_[object.value] != kNone; ++depth) {
    if (depth > kMostModules || bytes > kMostNameBytes) return {};
    const KeeperReference& reference = graph_.references[named_by_[object.value]];
    object = reference.from;
    if (is_wrapper_step(reference)) continue;
    const bool is_index = reference.how == ReferenceKind::index;
    parts.push_back(is_index ? fmt::format("[{}]", reference.index) : std::string(texts_.text(reference.label)));
    bytes += parts.back().size() + 1;
  }
  std::string name;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    name.append(name.empty() || part->starts_with('[') ? "" : ".").append(*part);
  return name;
}

} // namespace memviz
