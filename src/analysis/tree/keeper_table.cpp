#include "memviz/keeper_table.hpp"

#include "analysis/keepers/kept_variables.hpp"
#include "base/hash_map.hpp"

#include <algorithm>
#include <functional>
#include <tuple>

namespace memviz {
namespace {

/// Returns the path's first step.
PathId beginning_of(const KeeperPaths& paths, PathId path) {
  while (paths.paths[path.value].before != kNoPath)
    path = paths.paths[path.value].before;
  return path;
}

std::vector<std::uint32_t> active_blocks(const MemoryMap& memory) {
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t i = 0; i < memory.blocks.size(); ++i)
    if (memory.blocks[i].is_active()) blocks.push_back(i);
  return blocks;
}

/// Sorts items by their bytes, and adapts the indices that refer to them.
template <class Item, class Bytes>
void sort_most_first(std::vector<Item>& items, std::vector<std::uint32_t>& indices, const Bytes& bytes_of) {
  std::vector<std::uint32_t> order(items.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::uint32_t i) { return bytes_of(items[i]); });
  std::vector<Item> sorted;
  std::vector<std::uint32_t> places(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    sorted.push_back(std::move(items[order[i]]));
    places[order[i]] = i;
  }
  items = std::move(sorted);
  for (std::uint32_t& index : indices)
    if (index != kNoKeeper) index = places[index];
}

class TableMaker {
public:
  explicit TableMaker(const KeeperAnswers& answers)
      : recording_(answers.recording()), variables_(answers.variables()), blocks_(active_blocks(recording_.end)),
        retained_(variables_.retained_bytes(blocks_)), places_(variables_.paths().paths.size(), kNoKeeper),
        of_path_(places_) {}

  [[nodiscard]] KeeperTable make() {
    for (const std::uint32_t block : blocks_)
      add(variables_.paths().path_of_block[block], recording_.end.blocks[block].requested_bytes);
    return sorted();
  }

private:
  void add(PathId path, std::uint64_t bytes) {
    std::uint32_t& keeper = of_path_[path.value];
    if (keeper == kNoKeeper) keeper = place_of(path);
    KeptVariable& kept = keepers_[keeper];
    (variables_.paths().paths[path.value].is_in_graph ? kept.graph_bytes : kept.own_bytes) += bytes;
    ++kept.blocks;
  }

  [[nodiscard]] std::uint32_t place_of(PathId path) {
    const PathId variable = variables_.variable_of(path);
    const PathId begins = variable == kNoPath ? beginning_of(variables_.paths(), path) : variable;
    std::uint32_t& place = places_[begins.value];
    if (place != kNoKeeper) return place;
    place = static_cast<std::uint32_t>(keepers_.size());
    keepers_.push_back(variable != kNoPath
                           ? variables_.variable_at(variable, retained_)
                           : KeptVariable{.steps = variables_.paths().steps_of(begins), .object = {}, .called_by = {}});
    return place;
  }

  [[nodiscard]] KeeperTable sorted() {
    sort_most_first(keepers_, of_path_, [](const KeptVariable& kept) { return kept.bytes(); });
    return {variables_.paths(), std::move(keepers_), std::move(of_path_), recording_.keepers.limit};
  }

  const Recording& recording_;
  const VariableFinder& variables_;
  std::vector<std::uint32_t> blocks_;
  std::vector<std::uint64_t> retained_;
  std::vector<std::uint32_t> places_;  ///< by the path of a variable, or of a beginning
  std::vector<std::uint32_t> of_path_; ///< by the path of a block
  std::vector<KeptVariable> keepers_;
};

/// Adds up the blocks of a state by their keepers.
class LineMaker {
public:
  LineMaker(const KeeperAnswers& answers, const MemoryState& state, std::optional<DeviceId> device)
      : state_(state), device_(device), at_end_(answers) {
    lines_.of_block.assign(state.blocks.size(), kNoKeeper);
    lines_.path_of_block.assign(state.blocks.size(), {});
  }

  [[nodiscard]] KeeperLines make() {
    for (const Segment& segment : state_.segments_of(device_))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (state_.blocks[i].is_active()) add(segment.device, i);
    sort_most_first(lines_.lines, lines_.of_block, [](const KeeperLine& line) { return line.amount.bytes; });
    lines_.table = at_end_.table();
    return std::move(lines_);
  }

private:
  void add(DeviceId device, std::uint32_t index) {
    const BlockPath kept = path_of(device, index);
    const std::uint32_t keeper = kept.path == kNoPath ? kNoKeeper : at_end_.table().keeper_of_path[kept.path.value];
    const auto place = places_.add(keeper, static_cast<std::uint32_t>(lines_.lines.size()));
    if (place.is_new) lines_.lines.push_back({.keeper = keeper});
    KeeperLine& line = lines_.lines[place.value];
    const Amount amount{state_.blocks[index].requested_bytes, 1};
    line.amount += amount;
    if (state_.has_kinds) add_share(line.kinds, {state_.facts[index].kind, amount});
    lines_.of_block[index] = place.value;
    lines_.path_of_block[index] = kept;
  }

  /// Returns the path to the block at the end; kNoPath if it does not live that long.
  [[nodiscard]] BlockPath path_of(DeviceId device, std::uint32_t index) const {
    if (!state_.facts[index].history.is_kept) return {};
    return at_end_.path_at(device, state_.blocks[index].address);
  }

  const MemoryState& state_;
  std::optional<DeviceId> device_;
  EndKeepers at_end_;
  KeeperLines lines_;
  HashMap<std::uint32_t, std::uint32_t> places_; ///< by keeper
};

} // namespace

KeeperTable keeper_table(const KeeperAnswers& answers) {
  return TableMaker(answers).make();
}

KeeperStep keeper_key(const KeptVariable& keeper) {
  KeeperStep key = keeper.steps.back();
  if (keeper.steps.size() == 1) return key;
  const KeeperStep& root = keeper.steps.front();
  key.file = root.file;
  key.line = root.part == KeeperPart::running ? root.line : 0;
  return key;
}

KeeperStep key_of(const KeeperLine& line, const KeeperTable& table) {
  if (line.keeper == kNoKeeper) return {.part = KeeperPart::freed, .text = {}, .file = {}};
  return keeper_key(table.keepers[line.keeper]);
}

EndKeepers::EndKeepers(const KeeperAnswers& answers) : table_(keeper_table(answers)) {
  const MemoryMap& end = answers.recording().end;
  for (const Segment& segment : end.segments)
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (end.blocks[i].is_active())
        places_.push_back(
            {segment.device, end.blocks[i].address, {table_.paths.path_of_block[i], table_.paths.item_of_block[i]}});
  std::ranges::stable_sort(places_, {}, [](const Place& place) { return std::tuple(place.device, place.address); });
}

BlockPath EndKeepers::path_at(DeviceId device, std::uint64_t address) const {
  const auto found = std::ranges::lower_bound(places_, std::tuple(device, address), {}, [](const Place& place) {
    return std::tuple(place.device, place.address);
  });
  const bool is_there = found != places_.end() && found->device == device && found->address == address;
  return is_there ? found->path : BlockPath{};
}

KeeperStep EndKeepers::key_at(bool is_kept, DeviceId device, std::uint64_t address) const {
  const PathId path = is_kept ? path_at(device, address).path : kNoPath;
  return key_of({.keeper = path == kNoPath ? kNoKeeper : table_.keeper_of_path[path.value]}, table_);
}

KeeperLines keeper_lines(const KeeperAnswers& answers, const MemoryState& state, std::optional<DeviceId> device) {
  return LineMaker(answers, state, device).make();
}

} // namespace memviz
