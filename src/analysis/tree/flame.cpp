#include "memviz/flame.hpp"

#include "analysis/tree/tree_builder.hpp"
#include "analysis/tree/weighted_paths.hpp"

#include <algorithm>

namespace memviz {
namespace {

std::vector<Level> with_device(const MemoryState& state, std::vector<Level> levels) {
  if (state.recording->devices().size() > 1) levels.insert(levels.begin(), Level::device);
  return levels;
}

} // namespace

bool need_births(std::span<const Level> levels) {
  return std::ranges::any_of(levels, [](Level level) {
    return level == Level::annotation || level == Level::metadata || level == Level::compile;
  });
}

bool need_kinds(std::span<const Level> levels) {
  return std::ranges::find(levels, Level::kind) != levels.end();
}

bool need_keepers(std::span<const Level> levels) {
  return std::ranges::find(levels, Level::keeper) != levels.end();
}

std::vector<Level> memory_levels(const MemoryState& state) {
  return with_device(state, {Level::stream, Level::state});
}

std::vector<Level> segment_levels(const MemoryState& state) {
  return with_device(state, {Level::stream, Level::segment, Level::state});
}

FrameTree build_frame_tree(const MemoryState& state, const TreeOptions& options) {
  TreeBuilder<Amount> builder(state.recording->origin.size_bytes);
  for_each_path(state, options,
                [&](std::span<const NodeKey> path, const Amount& amount) { builder.at(path).self += amount; });
  return std::move(builder).finish(FrameOrder(state.frames()));
}

KindTree build_kind_tree(const MemoryState& state, const TreeOptions& options) {
  TreeBuilder<Amount> builder(state.recording->origin.size_bytes);
  KindTree result;
  for_each_kind_path(state, options,
                     [&](std::span<const NodeKey> path, const Amount& amount, const KindShares& shares) {
                       const NodeId node = builder.id_at(path);
                       builder.at(node).self += amount;
                       for (const KindShare& share : shares)
                         result.kinds.push_back({node, share});
                     });
  result.tree = std::move(builder).finish(FrameOrder(state.frames()));
  return result;
}

} // namespace memviz
