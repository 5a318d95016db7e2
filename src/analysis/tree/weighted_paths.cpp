#include "analysis/tree/weighted_paths.hpp"

#include "analysis/tree/frame_selection.hpp"
#include "analysis/tree/no_stack.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace memviz {
namespace {

NodeKey device_key(const MemoryState& state, DeviceId device) {
  return DeviceKey{device, state.recording->origin.is_main_memory(device)};
}

/// `block_state` is what stands in the place of the state: nothing for active memory when that is no level.
NodeKey level_key(Level level, const MemoryState& state, const Segment& segment, const NodeKey& block_state) {
  switch (level) {
  case Level::device: return device_key(state, segment.device);
  case Level::pool: return segment.pool;
  case Level::stream: return StreamKey{segment.stream};
  case Level::segment: return SegmentKey{segment.address, segment.device};
  case Level::state: break;
  }
  return block_state;
}

/// The end of a path below the levels: a stack, or one pseudo frame.
struct Leaf {
  std::uint32_t prefix = 0;
  StackId stack = kNoFrames;
  std::optional<Pseudo> pseudo;
  bool is_bare = false; ///< the bytes belong to the prefix itself
  friend auto operator<=>(const Leaf&, const Leaf&) = default;
};

class PathCollector {
public:
  PathCollector(const MemoryState& state, const TreeOptions& options)
      : state_(state), options_(options), selection_(state.frames(), options), no_stack_(state),
        groups_by_state_(std::find(options.levels.begin(), options.levels.end(), Level::state) !=
                         options.levels.end()) {}

  void add(const Segment& segment) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = state_.blocks[i];
      const std::uint32_t prefix = prefix_of(segment, block.state, block.is_active());
      if (block.is_active()) {
        add(stack_leaf(prefix, block.stack, segment.device, i), {block.requested_bytes, 1});
        if (block.rounding_bytes() > 0) add({prefix, kNoFrames, Pseudo::gaps}, {block.rounding_bytes(), 0});
      } else {
        add({prefix, kNoFrames, std::nullopt, true}, {block.size_bytes, 1});
      }
    }
    if (segment.uncovered_bytes > 0) {
      const std::uint32_t prefix = prefix_of(segment, Pseudo::unaccounted, false);
      add({prefix, kNoFrames, std::nullopt, true}, {segment.uncovered_bytes, 0});
    }
  }

  void add(const OutsideMemory& outside) {
    const std::uint32_t prefix = prefix_outside(outside.device);
    add(stack_leaf(prefix, outside.stack, outside), {outside.requested_bytes, outside.allocations});
  }

  void visit_all(const PathVisitor& visit) {
    std::vector<NodeKey> path;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const Leaf& leaf = leaves_[i];
      path = *prefixes_[leaf.prefix];
      if (leaf.pseudo) path.emplace_back(*leaf.pseudo);
      if (!leaf.pseudo && !leaf.is_bare) append_frames(leaf.stack, path);
      visit(path, amounts_[i]);
    }
  }

private:
  std::uint32_t prefix_of(const Segment& segment, const NodeKey& state, bool is_active) {
    std::vector<NodeKey> keys;
    for (const Level level : options_.levels)
      keys.push_back(level_key(level, state_, segment, state));
    // Free memory stays apart from stacks even when nobody asked for states.
    if (!groups_by_state_ && !is_active) keys.push_back(state);
    return prefix_of(std::move(keys));
  }

  /// The device, where it is a level, and one word in the place of all others.
  std::uint32_t prefix_outside(DeviceId device) {
    std::vector<NodeKey> keys;
    const bool has_device =
        std::find(options_.levels.begin(), options_.levels.end(), Level::device) != options_.levels.end();
    if (has_device) keys.push_back(device_key(state_, device));
    keys.emplace_back(Pseudo::outside);
    return prefix_of(std::move(keys));
  }

  std::uint32_t prefix_of(std::vector<NodeKey> keys) {
    const auto [entry, is_new] =
        prefix_index_.try_emplace(std::move(keys), static_cast<std::uint32_t>(prefixes_.size()));
    if (is_new) prefixes_.push_back(&entry->first);
    return entry->second;
  }

  /// `owner` is what NoStackReasons::reason() asks for.
  template <class... Owner> [[nodiscard]] Leaf stack_leaf(std::uint32_t prefix, StackId stack, const Owner&... owner) {
    if (!selection_.is_in_focus(stack)) return {prefix, kNoFrames, Pseudo::not_focused};
    if (state_.frames().stack(stack).empty()) return {prefix, kNoFrames, no_stack_.reason(owner...)};
    if (selection_.kept(stack).empty()) return {prefix, kNoFrames, Pseudo::filtered};
    return {prefix, stack, std::nullopt};
  }

  void append_frames(StackId stack, std::vector<NodeKey>& path) {
    for (const FrameId frame : selection_.kept(stack))
      path.emplace_back(frame);
  }

  void add(const Leaf& leaf, const Amount& amount) {
    const auto [entry, is_new] = leaf_index_.try_emplace(leaf, leaves_.size());
    if (is_new) {
      leaves_.push_back(leaf);
      amounts_.push_back(amount);
    } else {
      amounts_[entry->second] += amount;
    }
  }

  const MemoryState& state_;
  const TreeOptions& options_;
  FrameSelection selection_;
  NoStackReasons no_stack_;
  bool groups_by_state_;
  std::map<std::vector<NodeKey>, std::uint32_t> prefix_index_;
  std::vector<const std::vector<NodeKey>*> prefixes_; ///< point into prefix_index_, whose keys never move
  std::map<Leaf, std::size_t> leaf_index_;
  std::vector<Leaf> leaves_;
  std::vector<Amount> amounts_;
};

} // namespace

void for_each_path(const MemoryState& state, const TreeOptions& options, const PathVisitor& visit) {
  PathCollector collector(state, options);
  for (const Segment& segment : state.segments_of(options.device))
    collector.add(segment);
  for (const OutsideMemory& outside : state.outside)
    if (!options.device || outside.device == *options.device) collector.add(outside);
  collector.visit_all(visit);
}

} // namespace memviz
