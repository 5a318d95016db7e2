#pragma once

// Recording::keepers and the blocks at the end of a recording -> who keeps each block: the best path from a root of the
// Python heap to it, and what goes if an object goes. All sizes are requested bytes of active blocks.

#include "memviz/keeper_step.hpp"
#include "memviz/keepers.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/recording.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace memviz {

/// The index of a path in KeeperPaths::paths.
struct PathId {
  std::uint32_t value = 0;
  friend auto operator<=>(const PathId&, const PathId&) = default;
};
inline constexpr PathId kNoPath{std::numeric_limits<std::uint32_t>::max()};

/// The index of an item in KeeperPaths::items.
struct ItemId {
  std::uint32_t value = 0;
  friend auto operator<=>(const ItemId&, const ItemId&) = default;
};
inline constexpr ItemId kNoItem{std::numeric_limits<std::uint32_t>::max()};

/// The item of a container for which a step `[*]` stands; neither an index nor a key if it is unknown.
struct KeeperItem {
  std::optional<std::uint32_t> index;
  StringId key;            ///< of a dict; "" if there is none
  ItemId before = kNoItem; ///< the item of the step `[*]` before this one
};

/// A path of steps: its last one, and the path of the others. The numbers of items are left out, so that all items of a
/// list have one path.
struct KeeperPath {
  KeeperStep step;
  PathId before = kNoPath; ///< kNoPath for the first step
  bool is_in_graph = false;
  /// The first object that the path leads to, if its last step leads to one.
  std::optional<KeeperId> object;
};

/// The best paths to all blocks: prefers variables of running functions and of the main module to those of other
/// modules, and to arguments, the program's own names to those of libraries, few steps to many, and variables to
/// autograd's graphs.
struct KeeperPaths {
  std::vector<KeeperPath> paths;      ///< a path follows the one before it
  std::vector<PathId> path_of_block;  ///< by index of the block in Recording::end; kNoPath for inactive ones
  std::vector<PathId> path_of_object; ///< by KeeperId; kNoPath for objects that no root reaches
  /// Returns the steps of a path, from its root.
  [[nodiscard]] std::vector<KeeperStep> steps_of(PathId path) const;

  std::vector<KeeperItem> items;
  std::vector<ItemId> item_of_block; ///< by index of the block; kNoItem if its path has no `[*]`
  /// Returns an item and those before it: one for each `[*]` of the path to its block, from the root.
  [[nodiscard]] std::vector<KeeperItem> items_until(ItemId item) const;
};

/// The bytes in use of a device, by the beginnings of their paths. They add up to all of them.
struct KeeperAccount {
  std::uint64_t kept_bytes = 0; ///< reachable from variables
  std::uint64_t cycle_bytes = 0;
  std::uint64_t temporary_bytes = 0;
  std::uint64_t no_object_bytes = 0;
  std::uint64_t unknown_bytes = 0;
  [[nodiscard]] std::uint64_t total_bytes() const {
    return kept_bytes + cycle_bytes + temporary_bytes + no_object_bytes + unknown_bytes;
  }
  friend bool operator==(const KeeperAccount&, const KeeperAccount&) = default;
};

/// The blocks of the parts of that account.
struct KeeperBlocks {
  std::uint64_t kept = 0;
  std::uint64_t cycle = 0;
  std::uint64_t temporary = 0;
  std::uint64_t no_object = 0;
  std::uint64_t unknown = 0;
  [[nodiscard]] std::uint64_t total() const { return kept + cycle + temporary + no_object + unknown; }
};

/// The blocks that have one path.
struct KeeperGroup {
  std::vector<KeeperStep> steps;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  bool is_in_graph = false; ///< whether the path leads through autograd's graph
};

/// A variable that a running line would set once it ends.
struct PendingVariable {
  StringId name; ///< "model", "self.model" or "loss, logits"
  KeeperStep code;
};

/// A variable, and the blocks whose best path begins with it. No block belongs to two variables.
struct KeptVariable {
  std::vector<KeeperStep> steps; ///< its root and its name; for `self`, one attribute more, unless it is a module
  KeeperObject object;
  /// The innermost function of the program's own code around a function of a library.
  std::optional<KeeperStep> called_by;
  std::optional<PendingVariable> pending = {}; ///< for which that line calls it, if it is for one
  std::vector<CodePlace> places = {};          ///< the lines that set it, and one that uses it: at most kMostPlaces
  std::uint64_t own_bytes = 0;                 ///< not through autograd's graphs
  std::uint64_t graph_bytes = 0;               ///< through the graphs of its tensors
  std::uint64_t blocks = 0;
  /// The bytes that become free when the object goes, of whichever variables: those that all paths reach through it.
  std::uint64_t retained_bytes = 0;
  std::uint64_t other_references = 0; ///< to the object, besides this variable
  [[nodiscard]] std::uint64_t bytes() const { return own_bytes + graph_bytes; }

  static constexpr std::size_t kMostPlaces = 8;
};

struct DeviceKeepers {
  KeeperAccount account;
  KeeperBlocks blocks;
  /// At most kMostVariables: those that matter most first, models and optimizers last, because every program has them.
  std::vector<KeptVariable> variables;
  std::vector<KeeperGroup> groups; ///< largest first, at most kMostGroups
  /// The innermost running function of the program's own code, or of any if there is none.
  std::optional<KeeperStep> running;
  std::optional<PendingVariable> pending; ///< for which its line runs, if it is for one
  std::optional<KeeperObject> temporary;  ///< the container, among temporaries, that holds most
  KeeperLimit limit = KeeperLimit::none;

  static constexpr std::size_t kMostVariables = 12;
  static constexpr std::size_t kMostGroups = 24;
};

/// Returns those of the named variables that keep most, at most `most`, largest first. `keepers` must outlive them.
[[nodiscard]] std::vector<const KeptVariable*> largest_variables(const DeviceKeepers& keepers, std::size_t most);

/// Returns the paths to all blocks at the end of the recording, which must have keepers.
[[nodiscard]] KeeperPaths keeper_paths(const Recording& recording);

/// All variables of a device, and those that keep its blocks.
struct BlockKeepers {
  std::vector<KeptVariable> variables;
  /// By index of the block in Recording::end: the number of its variable; nothing if no variable keeps it.
  std::vector<std::optional<std::uint32_t>> variable_of_block;
};

/// The variable that keeps most of what a stack made, of its blocks in use at the end.
struct StackKeeper {
  std::optional<KeptVariable> variable;
  std::uint64_t bytes = 0;       ///< of the stack, kept by the variable
  std::uint64_t stack_bytes = 0; ///< of the stack
};

class VariableFinder;

/// Answers questions about the keepers of one recording; what the answers share is found once.
class KeeperAnswers {
public:
  /// `recording` must have keepers and outlive this object.
  explicit KeeperAnswers(const Recording& recording);
  ~KeeperAnswers();
  KeeperAnswers(const KeeperAnswers&) = delete;
  KeeperAnswers& operator=(const KeeperAnswers&) = delete;

  [[nodiscard]] const KeeperPaths& paths() const;
  [[nodiscard]] const Recording& recording() const;
  /// For keeper_table().
  [[nodiscard]] const VariableFinder& variables() const;
  [[nodiscard]] DeviceKeepers of(DeviceId device) const;
  [[nodiscard]] BlockKeepers of_blocks(DeviceId device) const;
  [[nodiscard]] std::map<StackId, StackKeeper> of_stacks(DeviceId device) const;

private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

using KeepersByDevice = std::map<DeviceId, DeviceKeepers>;
/// Returns the figures of the GPUs whose moment is the one at which keepers were read: the end, or the last event,
/// which is often the out-of-memory error at which the file was written. Empty if the recording has no keepers.
[[nodiscard]] KeepersByDevice keepers_of(const MemoryState& state);

} // namespace memviz
