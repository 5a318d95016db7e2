#include "analysis/keepers/kept_variables.hpp"

#include "analysis/keepers/keeper_paths.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>

namespace memviz {
namespace {

constexpr auto kVariable = [](const CodePlace& place) { return std::tuple(place.root, place.variable); };

/// Returns the variable with which each path begins; kNoPath for none.
std::vector<PathId> variables_by_path(const KeeperPaths& found, const Recording& recording) {
  const auto& paths = found.paths;
  std::vector<PathId> variables(paths.size(), kNoPath);
  std::vector<bool> is_self(paths.size());
  for (std::uint32_t i = 0; i < paths.size(); ++i) {
    const KeeperPath& path = paths[i];
    if (path.before == kNoPath) {
      if (path.step.part == KeeperPart::exception) variables[i] = {i};
      continue;
    }
    const KeeperPath& before = paths[path.before.value];
    const bool is_first_name = before.before == kNoPath && before.step.part <= KeeperPart::globals;
    const bool is_module = path.object && recording.keepers.objects[path.object->value].kind == KeeperKind::module;
    is_self[i] = is_first_name && path.step.part == KeeperPart::variable && !is_module &&
                 recording.frames.text(path.step.text) == "self";
    variables[i] = is_first_name || is_self[path.before.value] ? PathId{i} : variables[path.before.value];
  }
  return variables;
}

} // namespace

VariableFinder::VariableFinder(const Recording& recording)
    : recording_(recording), holders_(block_holders(recording)), paths_(keeper_paths(recording, holders_)),
      variables_(variables_by_path(paths_, recording)), retained_(recording, holders_),
      references_(recording.keepers.objects.size()) {
  for (const KeeperReference& one : recording.keepers.references)
    ++references_[one.to.value];
  for (const RootObject& one : recording.keepers.roots)
    ++references_[one.object.value];
  for (const CodePlace& one : recording.keepers.places)
    (one.how == CodeRelation::would_set ? pending_ : places_).push_back(one);
  std::ranges::stable_sort(places_, {}, kVariable);
}

bool VariableFinder::is_own_code(StringId file) const {
  return origin_of(recording_.frames.text(file)) == CodeOrigin::user;
}

KeeperStep VariableFinder::code_of(KeeperId object) const {
  const KeeperObject& code = recording_.keepers.objects[object.value];
  return {.part = KeeperPart::running, .text = code.name, .file = code.file, .line = code.line};
}

std::optional<KeeperStep> VariableFinder::running(std::span<const RootObject> first) const {
  std::optional<KeeperStep> innermost;
  for (const RootObject& root : first) {
    if (root.kind != KeeperRoot::local) continue;
    const KeeperStep code = code_of(root.object);
    if (is_own_code(code.file)) return code;
    if (!innermost) innermost = code;
  }
  return innermost;
}

std::optional<KeeperStep> VariableFinder::caller_of(const KeeperStep& root) const {
  if (root.part != KeeperPart::running || is_own_code(root.file)) return std::nullopt;
  const std::span<const RootObject> roots = recording_.keepers.roots;
  const auto found = std::ranges::find_if(
      roots, [&](const RootObject& one) { return one.kind == KeeperRoot::local && code_of(one.object) == root; });
  const auto caller = running(roots.subspan(static_cast<std::size_t>(found - roots.begin())));
  return caller && is_own_code(caller->file) ? caller : std::nullopt;
}

std::optional<PendingVariable> VariableFinder::pending_of(const KeeperStep& code) const {
  const auto found = std::ranges::find_if(pending_, [&](const CodePlace& one) { return code_of(one.root) == code; });
  if (found == pending_.end()) return std::nullopt;
  return PendingVariable{
      .name = found->variable,
      .code = {.part = KeeperPart::running, .text = found->function, .file = found->file, .line = found->line}};
}

std::vector<CodePlace> VariableFinder::places_of(PathId path) const {
  PathId root = path;
  while (paths_.paths[root.value].before != kNoPath) {
    path = root;
    root = paths_.paths[root.value].before;
  }
  const KeeperPath& variable = paths_.paths[path.value];
  const auto& object = paths_.paths[root.value].object;
  if (path == root || !object || variable.step.part != KeeperPart::variable) return {};
  const std::tuple key(*object, variable.step.text);
  const auto begin = std::ranges::lower_bound(places_, key, {}, kVariable);
  const auto end = std::ranges::upper_bound(begin, places_.end(), key, {}, kVariable);
  const auto count = std::min(static_cast<std::size_t>(end - begin), KeptVariable::kMostPlaces);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

KeptVariable VariableFinder::variable_at(PathId path, const std::vector<std::uint64_t>& retained) const {
  KeptVariable variable;
  variable.steps = paths_.steps_of(path);
  const KeeperId object = paths_.paths[path.value].object.value_or(KeeperId{0});
  variable.object = recording_.keepers.objects[object.value];
  variable.retained_bytes = retained[object.value];
  variable.other_references = references_[object.value] - 1;
  variable.called_by = caller_of(variable.steps.front());
  if (variable.called_by) variable.pending = pending_of(*variable.called_by);
  variable.places = places_of(path);
  return variable;
}

} // namespace memviz
