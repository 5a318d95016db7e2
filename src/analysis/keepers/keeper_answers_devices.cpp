#include "memviz/keeper_answers.hpp"

#include "analysis/keepers/dominators.hpp"
#include "base/hash_map.hpp"
#include "memviz/label.hpp"
#include "recording/block_holders.hpp"

#include <algorithm>
#include <functional>

namespace memviz {
namespace {

/// The dominator tree of the objects and, as its leaves, of the blocks that they hold. Node 0 is before all roots.
class Retained {
public:
  explicit Retained(const Recording& recording) : recording_(recording) {
    const KeeperGraph& graph = recording.keepers;
    const std::vector<BlockHolder> holders = block_holders(recording);
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

  /// Returns the bytes of these blocks that would go with each object, by node.
  [[nodiscard]] std::vector<std::uint64_t> bytes_of(const std::vector<std::uint32_t>& blocks) const {
    std::vector<std::uint64_t> bytes(tree_.parent.size());
    for (const std::uint32_t block : blocks)
      bytes[first_block_ + block] = recording_.end.blocks[block].requested_bytes;
    for (std::size_t i = tree_.order.size(); i-- > 1;)
      bytes[tree_.parent[tree_.order[i]]] += bytes[tree_.order[i]];
    return bytes;
  }
  [[nodiscard]] static std::uint32_t node_of(KeeperId object) { return object.value + 1; }

private:
  const Recording& recording_;
  DominatorTree tree_;
  std::uint32_t first_block_ = 0;
};

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

class DeviceFinder {
public:
  explicit DeviceFinder(const Recording& recording)
      : recording_(recording), paths_(keeper_paths(recording)), variables_(variables_by_path(paths_, recording)),
        retained_(recording), references_(recording.keepers.objects.size()) {
    for (const KeeperReference& one : recording.keepers.references)
      ++references_[one.to.value];
    for (const RootObject& one : recording.keepers.roots)
      ++references_[one.object.value];
  }

  [[nodiscard]] DeviceKeepers find(DeviceId device) const {
    DeviceKeepers found;
    found.limit = recording_.keepers.limit;
    found.running = running(recording_.keepers.roots);
    const std::vector<std::uint32_t> blocks = blocks_of(device);
    const std::vector<std::uint64_t> retained = retained_.bytes_of(blocks);
    for (const std::uint32_t block : blocks)
      add_to_account(found, block);
    found.groups = groups_of(blocks);
    found.variables = variables_of(blocks, retained);
    found.temporary = largest_temporary(retained);
    return found;
  }

private:
  [[nodiscard]] std::uint64_t bytes_of(std::uint32_t block) const {
    return recording_.end.blocks[block].requested_bytes;
  }

  /// Returns the active blocks of a device.
  [[nodiscard]] std::vector<std::uint32_t> blocks_of(DeviceId device) const {
    std::vector<std::uint32_t> blocks;
    for (const Segment& segment : recording_.end.segments_of(device))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (recording_.end.blocks[i].is_active()) blocks.push_back(i);
    return blocks;
  }

  [[nodiscard]] bool is_own_code(StringId file) const {
    return origin_of(recording_.frames.text(file)) == CodeOrigin::user;
  }
  [[nodiscard]] KeeperStep code_of(KeeperId object) const {
    const KeeperObject& code = recording_.keepers.objects[object.value];
    return {.part = KeeperPart::running, .text = code.name, .file = code.file, .line = code.line};
  }

  /// Returns the innermost of the running functions from `first` on that is the program's own; else the first one.
  [[nodiscard]] std::optional<KeeperStep> running(std::span<const RootObject> first) const {
    std::optional<KeeperStep> innermost;
    for (const RootObject& root : first) {
      if (root.kind != KeeperRoot::local) continue;
      const KeeperStep code = code_of(root.object);
      if (is_own_code(code.file)) return code;
      if (!innermost) innermost = code;
    }
    return innermost;
  }

  /// Returns the program's own function around a function of a library.
  [[nodiscard]] std::optional<KeeperStep> caller_of(const KeeperStep& root) const {
    if (root.part != KeeperPart::running || is_own_code(root.file)) return std::nullopt;
    const std::span<const RootObject> roots = recording_.keepers.roots;
    const auto found = std::ranges::find_if(
        roots, [&](const RootObject& one) { return one.kind == KeeperRoot::local && code_of(one.object) == root; });
    const auto caller = running(roots.subspan(static_cast<std::size_t>(found - roots.begin())));
    return caller && is_own_code(caller->file) ? caller : std::nullopt;
  }

  /// Returns the container, among the temporaries, with which most bytes go.
  [[nodiscard]] std::optional<KeeperObject> largest_temporary(const std::vector<std::uint64_t>& retained) const {
    std::optional<KeeperObject> largest;
    std::uint64_t largest_bytes = 0;
    for (const RootObject& root : recording_.keepers.roots) {
      const KeeperObject& object = recording_.keepers.objects[root.object.value];
      const std::uint64_t bytes = retained[Retained::node_of(root.object)];
      if (root.kind != KeeperRoot::temporary || !object.items || bytes <= largest_bytes) continue;
      largest = object;
      largest_bytes = bytes;
    }
    return largest;
  }

  void add_to_account(DeviceKeepers& found, std::uint32_t block) const {
    PathId first = paths_.path_of_block[block];
    while (paths_.paths[first.value].before != kNoPath)
      first = paths_.paths[first.value].before;
    KeeperAccount& account = found.account;
    switch (paths_.paths[first.value].step.part) {
    case KeeperPart::cycle:
      account.cycle_bytes += bytes_of(block);
      ++found.blocks.cycle;
      break;
    case KeeperPart::temporary:
      account.temporary_bytes += bytes_of(block);
      ++found.blocks.temporary;
      break;
    case KeeperPart::no_object: account.no_object_bytes += bytes_of(block); break;
    case KeeperPart::unknown: account.unknown_bytes += bytes_of(block); break;
    default: account.kept_bytes += bytes_of(block);
    }
  }

  [[nodiscard]] std::vector<KeeperGroup> groups_of(const std::vector<std::uint32_t>& blocks) const {
    std::vector<KeeperGroup> groups;
    HashMap<std::uint32_t, std::uint32_t> places;
    std::vector<PathId> paths;
    for (const std::uint32_t block : blocks) {
      const PathId path = paths_.path_of_block[block];
      const auto place = place_of(places, path, groups.size());
      if (place == groups.size()) {
        groups.emplace_back();
        paths.push_back(path);
      }
      groups[place].bytes += bytes_of(block);
      ++groups[place].blocks;
    }
    const std::vector<std::size_t> largest = largest_of(groups, DeviceKeepers::kMostGroups, &KeeperGroup::bytes);
    std::vector<KeeperGroup> kept;
    for (const std::size_t i : largest) {
      kept.push_back(std::move(groups[i]));
      kept.back().steps = paths_.steps_of(paths[i]);
    }
    return kept;
  }

  [[nodiscard]] std::vector<KeptVariable> variables_of(const std::vector<std::uint32_t>& blocks,
                                                       const std::vector<std::uint64_t>& retained) const {
    std::vector<KeptVariable> variables;
    HashMap<std::uint32_t, std::uint32_t> places;
    for (const std::uint32_t block : blocks) {
      const PathId path = paths_.path_of_block[block];
      const PathId variable = variables_[path.value];
      if (variable == kNoPath) continue;
      const auto place = place_of(places, variable, variables.size());
      if (place == variables.size()) variables.push_back(variable_at(variable, retained));
      KeptVariable& one = variables[place];
      (paths_.paths[path.value].is_in_graph ? one.graph_bytes : one.own_bytes) += bytes_of(block);
      ++one.blocks;
    }
    std::vector<KeptVariable> kept;
    for (const std::size_t i : largest_of(variables, DeviceKeepers::kMostVariables, weight)) {
      kept.push_back(std::move(variables[i]));
      kept.back().called_by = caller_of(kept.back().steps.front());
    }
    return kept;
  }

  [[nodiscard]] KeptVariable variable_at(PathId path, const std::vector<std::uint64_t>& retained) const {
    KeptVariable variable;
    variable.steps = paths_.steps_of(path);
    const KeeperId object = paths_.paths[path.value].object.value_or(KeeperId{0});
    variable.object = recording_.keepers.objects[object.value];
    variable.retained_bytes = retained[Retained::node_of(object)];
    variable.other_references = references_[object.value] - 1;
    return variable;
  }

  /// Two bytes that something else refers to as well matter as much as one that would go.
  static std::pair<bool, std::uint64_t> weight(const KeptVariable& one) {
    const bool has_every_program = one.object.kind == KeeperKind::module || one.object.kind == KeeperKind::optimizer;
    return {!has_every_program, one.bytes() + one.retained_bytes};
  }

  /// Returns the place of a path among those found so far; `next` for one that is new.
  static std::uint32_t place_of(HashMap<std::uint32_t, std::uint32_t>& places, PathId path, std::size_t next) {
    return places.add(path.value, static_cast<std::uint32_t>(next)).value;
  }

  /// Returns the indices of the largest items, largest first.
  template <class Items, class Bytes>
  static std::vector<std::size_t> largest_of(const Items& items, std::size_t most, const Bytes& bytes) {
    std::vector<std::size_t> indices(items.size());
    for (std::size_t i = 0; i < indices.size(); ++i)
      indices[i] = i;
    std::ranges::stable_sort(indices, std::ranges::greater(),
                             [&](std::size_t i) { return std::invoke(bytes, items[i]); });
    indices.resize(std::min(indices.size(), most));
    return indices;
  }

  const Recording& recording_;
  KeeperPaths paths_;
  std::vector<PathId> variables_; ///< by path
  Retained retained_;
  std::vector<std::uint32_t> references_; ///< by object: the references to it, and the roots that it is
};

} // namespace

std::vector<DeviceKeepers> keepers_of(const Recording& recording, std::span<const DeviceId> devices) {
  std::vector<DeviceKeepers> found;
  const DeviceFinder finder(recording);
  for (const DeviceId device : devices)
    found.push_back(finder.find(device));
  return found;
}

} // namespace memviz
