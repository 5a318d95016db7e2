#include "memviz/keeper_answers.hpp"

#include "analysis/keepers/kept_variables.hpp"
#include "base/hash_map.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <utility>

namespace memviz {

class KeeperAnswers::Parts {
public:
  explicit Parts(const Recording& recording)
      : recording_(recording), variables_(recording), paths_(variables_.paths()) {}

  [[nodiscard]] DeviceKeepers find(DeviceId device) const {
    DeviceKeepers found;
    found.limit = recording_.keepers.limit;
    found.running = variables_.running(recording_.keepers.roots);
    if (found.running) found.pending = variables_.pending_of(*found.running);
    const std::vector<std::uint32_t> blocks = blocks_of(device);
    const std::vector<std::uint64_t> retained = variables_.retained_bytes(blocks);
    for (const std::uint32_t block : blocks)
      add_to_account(found, block);
    found.groups = groups_of(blocks);
    BlockKeepers keepers = variables_of(blocks, retained);
    for (const std::size_t i : largest_of(keepers.variables, DeviceKeepers::kMostVariables, weight))
      found.variables.push_back(std::move(keepers.variables[i]));
    found.temporary = largest_temporary(retained);
    return found;
  }

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

  /// Returns the container, among the temporaries, with which most bytes go.
  [[nodiscard]] std::optional<KeeperObject> largest_temporary(const std::vector<std::uint64_t>& retained) const {
    std::optional<KeeperObject> largest;
    std::uint64_t largest_bytes = 0;
    for (const RootObject& root : recording_.keepers.roots) {
      const KeeperObject& object = recording_.keepers.objects[root.object.value];
      const std::uint64_t bytes = retained[root.object.value];
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
    case KeeperPart::no_object:
      account.no_object_bytes += bytes_of(block);
      ++found.blocks.no_object;
      break;
    case KeeperPart::unknown:
      account.unknown_bytes += bytes_of(block);
      ++found.blocks.unknown;
      break;
    default: account.kept_bytes += bytes_of(block); ++found.blocks.kept;
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
      kept.back().is_in_graph = paths_.paths[paths[i].value].is_in_graph;
    }
    return kept;
  }

  [[nodiscard]] BlockKeepers variables_of(const std::vector<std::uint32_t>& blocks,
                                          const std::vector<std::uint64_t>& retained) const {
    BlockKeepers found;
    HashMap<std::uint32_t, std::uint32_t> places;
    found.variable_of_block.resize(recording_.end.blocks.size());
    for (const std::uint32_t block : blocks) {
      const PathId path = paths_.path_of_block[block];
      const PathId variable = variables_.variable_of(path);
      if (variable == kNoPath) continue;
      const auto place = place_of(places, variable, found.variables.size());
      if (place == found.variables.size()) found.variables.push_back(variables_.variable_at(variable, retained));
      KeptVariable& one = found.variables[place];
      (paths_.paths[path.value].is_in_graph ? one.graph_bytes : one.own_bytes) += bytes_of(block);
      ++one.blocks;
      found.variable_of_block[block] = place;
    }
    return found;
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

private:
  friend class KeeperAnswers;

  const Recording& recording_;
  VariableFinder variables_;
  const KeeperPaths& paths_;
};

KeeperAnswers::KeeperAnswers(const Recording& recording) : parts_(std::make_unique<Parts>(recording)) {
}

KeeperAnswers::~KeeperAnswers() = default;

const KeeperPaths& KeeperAnswers::paths() const {
  return parts_->paths_;
}

const Recording& KeeperAnswers::recording() const {
  return parts_->recording_;
}

const VariableFinder& KeeperAnswers::variables() const {
  return parts_->variables_;
}

DeviceKeepers KeeperAnswers::of(DeviceId device) const {
  return parts_->find(device);
}

BlockKeepers KeeperAnswers::of_blocks(DeviceId device) const {
  const std::vector<std::uint32_t> blocks = parts_->blocks_of(device);
  return parts_->variables_of(blocks, parts_->variables_.retained_bytes(blocks));
}

std::map<StackId, StackKeeper> KeeperAnswers::of_stacks(DeviceId device) const {
  const BlockKeepers keepers = of_blocks(device);
  std::map<StackId, std::map<std::uint32_t, std::uint64_t>> bytes; // by stack and variable
  std::map<StackId, StackKeeper> found;
  for (const std::uint32_t block : parts_->blocks_of(device)) {
    const StackId stack = parts_->recording_.end.blocks[block].stack;
    found[stack].stack_bytes += parts_->bytes_of(block);
    if (const auto& variable = keepers.variable_of_block[block]) bytes[stack][*variable] += parts_->bytes_of(block);
  }
  for (const auto& [stack, of_variables] : bytes) {
    const auto most = std::ranges::max_element(of_variables, {}, [](const auto& one) { return one.second; });
    found[stack].variable = keepers.variables[most->first];
    found[stack].bytes = most->second;
  }
  return found;
}

std::vector<const KeptVariable*> largest_variables(const DeviceKeepers& keepers, std::size_t most) {
  std::vector<const KeptVariable*> variables;
  for (const KeptVariable& variable : keepers.variables)
    variables.push_back(&variable);
  std::ranges::stable_sort(variables, std::ranges::greater(), &KeptVariable::bytes);
  variables.resize(std::min(variables.size(), most));
  return variables;
}

KeepersByDevice keepers_of(const MemoryState& state) {
  KeepersByDevice found;
  const Recording& recording = *state.recording;
  if (!recording.keepers.is_recorded) return found;
  const KeeperAnswers answers(recording);
  for (const DeviceState& device : state.devices)
    if (!is_host(device.device) && device.is_at_last_event()) found.emplace(device.device, answers.of(device.device));
  return found;
}

} // namespace memviz
