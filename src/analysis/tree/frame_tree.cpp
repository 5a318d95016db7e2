#include "analysis/tree/tree_builder.hpp"
#include "analysis/tree/weighted_paths.hpp"
#include "memviz/flame.hpp"

namespace memviz {
namespace {

std::vector<Level> with_device(const Snapshot& snapshot, std::vector<Level> levels) {
  if (snapshot.devices().size() > 1) levels.insert(levels.begin(), Level::device);
  return levels;
}

} // namespace

std::vector<Level> memory_levels(const Snapshot& snapshot) {
  return with_device(snapshot, {Level::stream, Level::state});
}

std::vector<Level> segment_levels(const Snapshot& snapshot) {
  return with_device(snapshot, {Level::stream, Level::segment, Level::state});
}

FrameTree build_frame_tree(const Snapshot& snapshot, const Replay& replay, const TreeOptions& options) {
  TreeBuilder<Amount> builder(snapshot.origin.size_bytes);
  for_each_path(snapshot, replay, options,
                [&](std::span<const NodeKey> path, const Amount& amount) { builder.at(path).self += amount; });
  return std::move(builder).finish(FrameOrder(snapshot.frames));
}

} // namespace memviz
