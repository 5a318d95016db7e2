#include "memviz/keeper_answers.hpp"

#include "analysis/keepers/best_references.hpp"
#include "analysis/keepers/keeper_paths.hpp"
#include "analysis/keepers/keeper_steps.hpp"
#include "analysis/keepers/step_hash.hpp"
#include "base/hash.hpp"
#include "base/hash_table.hpp"
#include "base/whole_number.hpp"
#include "recording/block_holders.hpp"
#include "recording/keeper_references.hpp"

#include <algorithm>

namespace memviz {
namespace {

/// The most steps of a path; the rest of a longer one, such as a linked list, is one step.
constexpr std::uint32_t kMostSteps = 40;
/// The number of references from a dict from which on its keys are shown as items.
constexpr std::size_t kManyKeys = 12;

/// Paths from the roots, each beginning stored once.
class PathBuilder {
public:
  /// Returns the path of these steps, with its number of steps.
  PathId add(PathId before, const KeeperStep& step, bool is_in_graph) {
    const std::uint32_t depth = before == kNoPath ? 1 : depths_[before.value] + 1;
    if (depth > kMostSteps) return before;
    std::uint32_t& slot = table_.place(
        hash_of(before, step, is_in_graph),
        [&](std::uint32_t number) {
          const KeeperPath& one = paths_[number - 1];
          return one.before == before && one.step == step && one.is_in_graph == is_in_graph;
        },
        [this](std::uint32_t number) {
          const KeeperPath& one = paths_[number - 1];
          return hash_of(one.before, one.step, one.is_in_graph);
        });
    if (slot == 0) {
      paths_.push_back({.step = step, .before = before, .is_in_graph = is_in_graph, .object = {}});
      depths_.push_back(depth);
      table_.fill(slot, static_cast<std::uint32_t>(paths_.size()));
      return {static_cast<std::uint32_t>(paths_.size() - 1)};
    }
    return {slot - 1};
  }
  [[nodiscard]] KeeperPath& operator[](PathId path) { return paths_[path.value]; }
  [[nodiscard]] std::vector<KeeperPath> finish() && { return std::move(paths_); }

private:
  [[nodiscard]] static std::size_t hash_of(PathId before, const KeeperStep& step, bool is_in_graph) {
    const auto hash = mixed(hash_secret(), std::uint64_t{before.value} << 1U | (is_in_graph ? 1U : 0U));
    return static_cast<std::size_t>(hash_with(hash, step));
  }

  std::vector<KeeperPath> paths_;
  std::vector<std::uint32_t> depths_;
  HashTable<std::uint32_t, 1024> table_; ///< paths + 1, by their steps; 0: empty
};

class PathFinder {
public:
  PathFinder(const Recording& recording, std::span<const BlockHolder> holders)
      : recording_(recording), holders_(holders), graph_(recording.keepers), references_(references_by_object(graph_)),
        best_(best_references(graph_, references_, recording.frames)) {}

  [[nodiscard]] KeeperPaths find() {
    paths_.path_of_object.assign(graph_.objects.size(), kNoPath);
    item_of_object_.assign(graph_.objects.size(), kNoItem);
    for (const KeeperId object : best_.order)
      paths_.path_of_object[object.value] = path_of(object);
    find_blocks();
    paths_.paths = std::move(builder_).finish();
    return std::move(paths_);
  }

private:
  [[nodiscard]] PathId path_of(KeeperId object) {
    const PathId path = best_.reference[object.value] == kNoReference
                            ? path_of_root(object)
                            : path_along(graph_.references[best_.reference[object.value]]);
    if (!builder_[path].object) builder_[path].object = object;
    return path;
  }

  [[nodiscard]] PathId path_of_root(KeeperId id) {
    const RootObject& root = graph_.roots[best_.root[id.value]];
    const KeeperObject& object = graph_.objects[id.value];
    const bool is_graph = object.kind == KeeperKind::autograd;
    KeeperStep step = step_of(root, object);
    if (root.kind == KeeperRoot::main && step.file == kEmptyString) step.file = main_file();
    const PathId first = builder_.add(kNoPath, step, is_graph);
    if (root.kind != KeeperRoot::cycle || object.name == kEmptyString) return first;
    return builder_.add(first, {.part = KeeperPart::object, .text = object.name, .file = {}, .line = 0}, is_graph);
  }

  /// Returns the file of the program: that of the function which is the code of a module.
  [[nodiscard]] StringId main_file() const {
    StringId file;
    for (const RootObject& root : graph_.roots)
      if (const KeeperObject& code = graph_.objects[root.object.value];
          root.kind == KeeperRoot::local && recording_.frames.text(code.name) == "<module>")
        file = code.file; // the outermost is the last
    return file;
  }

  [[nodiscard]] PathId path_along(const KeeperReference& reference) {
    const PathId before = paths_.path_of_object[reference.from.value];
    const ItemId item_before = item_of_object_[reference.from.value];
    item_of_object_[reference.to.value] = item_before;
    const bool is_in_graph = builder_[before].is_in_graph;
    const KeeperObject& from = graph_.objects[reference.from.value];
    const KeeperObject& to = graph_.objects[reference.to.value];
    const bool is_many = from.kind == KeeperKind::dict && references_.of(reference.from.value).size() > kManyKeys;
    const auto step = step_of({reference, from, to, is_many}, recording_.frames);
    if (!step) return before;
    if (is_in_graph) return before;
    // The function that has the variable is enough, without those that called it.
    const bool is_next_function = step->part == KeeperPart::traceback &&
                                  builder_[before].step.part == KeeperPart::traceback &&
                                  builder_[before].before != kNoPath;
    const PathId path =
        builder_.add(is_next_function ? builder_[before].before : before, *step, to.kind == KeeperKind::autograd);
    if (step->part == KeeperPart::items && path != before)
      item_of_object_[reference.to.value] = add_item(reference, item_before);
    return path;
  }

  [[nodiscard]] ItemId add_item(const KeeperReference& reference, ItemId before) {
    KeeperItem item{.index = {}, .key = {}, .before = before};
    if (reference.how == ReferenceKind::index)
      item.index = reference.index;
    else if (reference.how == ReferenceKind::key)
      item.key = reference.label;
    else // an attribute of torch.nn.ModuleList
      item.index = whole_number<std::uint32_t>(recording_.frames.text(reference.label));
    paths_.items.push_back(item);
    return {static_cast<std::uint32_t>(paths_.items.size() - 1)};
  }

  void find_blocks() {
    const auto& blocks = recording_.end.blocks;
    std::vector<std::uint32_t> nearest(blocks.size(), kNoReference);
    for (const BlockHolder& holder : holders_) {
      std::uint32_t& object = nearest[holder.block];
      if (paths_.path_of_object[holder.object.value] == kNoPath) continue;
      if (object == kNoReference || best_.cost[holder.object.value] < best_.cost[object]) object = holder.object.value;
    }
    const bool is_whole = graph_.limit == KeeperLimit::none;
    PathId rest = kNoPath;
    paths_.path_of_block.assign(blocks.size(), kNoPath);
    paths_.item_of_block.assign(blocks.size(), kNoItem);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      if (!blocks[i].is_active()) continue;
      if (nearest[i] == kNoReference && rest == kNoPath)
        rest = builder_.add(
            kNoPath, {.part = is_whole ? KeeperPart::no_object : KeeperPart::unknown, .text = {}, .file = {}}, false);
      paths_.path_of_block[i] = nearest[i] == kNoReference ? rest : paths_.path_of_object[nearest[i]];
      if (nearest[i] != kNoReference) paths_.item_of_block[i] = item_of_object_[nearest[i]];
    }
  }

  const Recording& recording_;
  std::span<const BlockHolder> holders_;
  const KeeperGraph& graph_;
  Adjacency references_; ///< numbers of references, by the object that has them
  BestReferences best_;
  PathBuilder builder_;
  std::vector<ItemId> item_of_object_;
  KeeperPaths paths_;
};

} // namespace

std::vector<KeeperStep> KeeperPaths::steps_of(PathId path) const {
  std::vector<KeeperStep> steps;
  for (; path != kNoPath; path = paths[path.value].before)
    steps.push_back(paths[path.value].step);
  std::ranges::reverse(steps);
  return steps;
}

std::vector<KeeperItem> KeeperPaths::items_until(ItemId item) const {
  std::vector<KeeperItem> found;
  for (; item != kNoItem; item = items[item.value].before)
    found.push_back(items[item.value]);
  std::ranges::reverse(found);
  return found;
}

KeeperPaths keeper_paths(const Recording& recording, std::span<const BlockHolder> holders) {
  return PathFinder(recording, holders).find();
}

KeeperPaths keeper_paths(const Recording& recording) {
  return keeper_paths(recording, block_holders(recording));
}

} // namespace memviz
