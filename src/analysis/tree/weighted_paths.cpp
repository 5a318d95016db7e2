#include "analysis/tree/weighted_paths.hpp"

#include "analysis/tree/frame_selection.hpp"
#include "analysis/tree/no_stack.hpp"
#include "analysis/tree/no_stack_account.hpp"
#include "analysis/tree/open_annotations.hpp"
#include "memviz/keeper_answers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace memviz {
namespace {

NodeKey device_key(const MemoryState& state, DeviceId device) {
  return DeviceKey{device, state.recording->origin.kind_of(device)};
}

/// PyTorch 2.8 writes N/A for code that is not compiled.
TopicKey compile_key(const FrameTable& frames, StringId context) {
  const bool is_compiled = !frames.text(context).empty() && frames.text(context) != "N/A";
  return {Topic::compile, is_compiled ? TopicContent::text : TopicContent::nothing,
          is_compiled ? context : kEmptyString};
}

/// `block_state` replaces the state: nullopt for active memory if the state is not a level.
NodeKey level_key(Level level, const MemoryState& state, const Segment& segment, const NodeKey& block_state) {
  switch (level) {
  case Level::device: return device_key(state, segment.device);
  case Level::pool: return segment.pool;
  case Level::stream: return StreamKey{segment.stream};
  case Level::segment: return SegmentKey{segment.address, segment.device};
  case Level::state:
  case Level::annotation:
  case Level::metadata:
  case Level::compile:
  case Level::kind:
  case Level::keeper: break;
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
        groups_by_state_(std::ranges::find(options.levels, Level::state) != options.levels.end()) {
    if (std::ranges::find(options.levels, Level::annotation) != options.levels.end())
      open_annotations_ = open_annotations(state);
    if (options.keepers == nullptr && need_keepers(options.levels) && state.recording->keepers.is_recorded)
      found_keepers_ = keeper_paths(*state.recording);
  }

  void add(const Segment& segment) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = state_.blocks[i];
      const std::uint32_t prefix = prefix_of(segment, block.state, block.is_active() ? std::optional(i) : std::nullopt);
      if (block.is_active()) {
        const Leaf found = is_in(options_.lives, state_.facts[i].history)
                               ? stack_leaf(prefix, block.stack, segment.device, i)
                               : Leaf{prefix, kNoFrames, Pseudo::not_focused};
        const std::size_t leaf = add(found, {block.requested_bytes, 1});
        add_kind(leaf, {state_.facts[i].kind, {block.requested_bytes, 1}});
        if (block.rounding_bytes() > 0) add({prefix, kNoFrames, Pseudo::gaps}, {block.rounding_bytes(), 0});
      } else {
        add({prefix, kNoFrames, std::nullopt, true}, {block.size_bytes, 1});
      }
    }
    if (segment.uncovered_bytes > 0) {
      const std::uint32_t prefix = prefix_of(segment, Pseudo::unaccounted, std::nullopt);
      add({prefix, kNoFrames, std::nullopt, true}, {segment.uncovered_bytes, 0});
    }
  }

  void add(DeviceId device, const OutsideMemory& outside) {
    const std::uint32_t prefix = prefix_outside(device);
    const Amount amount{outside.requested_bytes, outside.allocations};
    const Leaf leaf = is_in(options_.lives, {}) ? stack_leaf(prefix, outside.stack, device, outside)
                                                : Leaf{prefix, kNoFrames, Pseudo::not_focused};
    add_kind(add(leaf, amount), {{}, amount});
  }

  void visit_all(const PathVisitor& visit) {
    std::vector<NodeKey> path;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const Leaf& leaf = leaves_[i];
      set_path(leaf, path);
      visit(path, amounts_[i]);
    }
  }

  void visit_all(const KindPathVisitor& visit) {
    static const KindShares none;
    std::vector<NodeKey> path;
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      set_path(leaves_[i], path);
      const KindShares& shares = i < kinds_.size() ? kinds_[i] : none;
      if (is_told_by_kind(leaves_[i], shares))
        visit_by_kind(path, shares, visit);
      else
        visit(path, amounts_[i], shares);
    }
  }

private:
  /// `block`: the index of one in use.
  std::uint32_t prefix_of(const Segment& segment, const NodeKey& state, std::optional<std::uint32_t> block) {
    std::vector<NodeKey> keys;
    for (const Level level : options_.levels) {
      const bool is_topic = need_births({&level, 1});
      if (level == Level::keeper) {
        if (block) add_keeper(*block, keys);
      } else if (!is_topic && level != Level::kind)
        keys.push_back(level_key(level, state_, segment, state));
      else if (block && is_topic)
        add_topic(level, *block, keys);
      else if (block)
        keys.emplace_back(state_.facts[*block].kind.kind);
    }
    // Free memory stays separate from stacks even if states are not a level.
    if (!groups_by_state_ && !block) keys.push_back(state);
    return prefix_of(std::move(keys));
  }

  /// The blocks of a state at the end are those of the recording.
  void add_keeper(std::uint32_t block, std::vector<NodeKey>& keys) const {
    const std::vector<Block>& at_end = state_.recording->end.blocks;
    const KeeperPaths& keepers = options_.keepers == nullptr ? found_keepers_ : *options_.keepers;
    const bool is_known = block < keepers.path_of_block.size() && keepers.path_of_block[block] != kNoPath &&
                          at_end[block].address == state_.blocks[block].address;
    if (!is_known) {
      keys.emplace_back(KeeperStep{});
      return;
    }
    for (const KeeperStep& step : keepers.steps_of(keepers.path_of_block[block]))
      keys.emplace_back(step);
  }

  void add_topic(Level level, std::uint32_t block, std::vector<NodeKey>& keys) const {
    const BlockFacts& facts = state_.facts[block];
    const bool is_recorded = facts.birth && facts.history.is_explained();
    if (level == Level::annotation) {
      const bool is_known = is_recorded && facts.birth->time_us;
      const AnnotationPath& path = open_annotations_.paths[open_annotations_.of_block[block]];
      if (path.empty())
        keys.emplace_back(TopicKey{Topic::annotation, is_known ? TopicContent::nothing : TopicContent::unknown, {}});
      for (const StringId name : path)
        keys.emplace_back(TopicKey{Topic::annotation, TopicContent::text, name});
    } else if (!is_recorded) {
      keys.emplace_back(
          TopicKey{level == Level::metadata ? Topic::metadata : Topic::compile, TopicContent::unknown, {}});
    } else if (level == Level::compile) {
      keys.emplace_back(compile_key(state_.frames(), facts.birth->compile_context));
    } else {
      const StringId text = facts.birth->user_metadata;
      keys.emplace_back(
          TopicKey{Topic::metadata, text == kEmptyString ? TopicContent::nothing : TopicContent::text, text});
    }
  }

  /// Returns the device, if it is a level, and one word in place of all other levels.
  std::uint32_t prefix_outside(DeviceId device) {
    std::vector<NodeKey> keys;
    const bool has_device = std::ranges::find(options_.levels, Level::device) != options_.levels.end();
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

  /// `owner`: the argument of NoStackReasons::reason().
  template <class... Owner> [[nodiscard]] Leaf stack_leaf(std::uint32_t prefix, StackId stack, const Owner&... owner) {
    if (!selection_.is_in_focus(stack)) return {prefix, kNoFrames, Pseudo::not_focused};
    if (!options_.has_frames) return {prefix, kNoFrames, std::nullopt, true};
    if (state_.frames().stack(stack).empty()) return {prefix, kNoFrames, no_stack_.reason(owner...)};
    if (selection_.selected(stack).empty()) return {prefix, kNoFrames, Pseudo::filtered};
    return {prefix, stack, std::nullopt};
  }

  /// Whether kinds say more about it than that there is no stack.
  [[nodiscard]] bool is_told_by_kind(const Leaf& leaf, const KindShares& shares) const {
    return leaf.pseudo && has_no_stack(*leaf.pseudo) && !need_kinds(options_.levels) && has_known_kind(shares);
  }

  static void visit_by_kind(std::vector<NodeKey>& path, const KindShares& shares, const KindPathVisitor& visit) {
    for (const KindShare& share : shares) {
      path.emplace_back(share.kind.kind);
      visit(path, share.amount, {share});
      path.pop_back();
    }
  }

  /// Replaces the contents of `path`.
  void set_path(const Leaf& leaf, std::vector<NodeKey>& path) {
    path = *prefixes_[leaf.prefix];
    if (leaf.pseudo) path.emplace_back(*leaf.pseudo);
    if (!leaf.pseudo && !leaf.is_bare) append_frames(leaf.stack, path);
  }

  void append_frames(StackId stack, std::vector<NodeKey>& path) {
    for (const FrameId frame : selection_.selected(stack))
      path.emplace_back(frame);
  }

  /// Returns the leaf's place in `leaves_`.
  std::size_t add(const Leaf& leaf, const Amount& amount) {
    const auto [entry, is_new] = leaf_index_.try_emplace(leaf, leaves_.size());
    if (is_new) {
      leaves_.push_back(leaf);
      amounts_.push_back(amount);
    } else {
      amounts_[entry->second] += amount;
    }
    return entry->second;
  }

  void add_kind(std::size_t leaf, const KindShare& share) {
    if (!state_.has_kinds) return;
    if (kinds_.size() <= leaf) kinds_.resize(leaf + 1);
    add_share(kinds_[leaf], share);
  }

  const MemoryState& state_;
  const TreeOptions& options_;
  FrameSelection selection_;
  NoStackReasons no_stack_;
  bool groups_by_state_;
  OpenAnnotations open_annotations_;
  KeeperPaths found_keepers_; ///< empty unless they are a level, and not known
  std::map<std::vector<NodeKey>, std::uint32_t> prefix_index_;
  std::vector<const std::vector<NodeKey>*> prefixes_; ///< point into prefix_index_, whose keys never move
  std::map<Leaf, std::size_t> leaf_index_;
  std::vector<Leaf> leaves_;
  std::vector<Amount> amounts_;
  std::vector<KindShares> kinds_; ///< of the same leaves, as far as they have any
};

PathCollector collected(const MemoryState& state, const TreeOptions& options) {
  PathCollector collector(state, options);
  for (const Segment& segment : state.segments_of(options.device))
    collector.add(segment);
  for (const DeviceState& device : state.devices_of(options.device))
    for (const OutsideMemory& outside : device.outside)
      collector.add(device.device, outside);
  return collector;
}

} // namespace

void for_each_path(const MemoryState& state, const TreeOptions& options, const PathVisitor& visit) {
  collected(state, options).visit_all(visit);
}

void for_each_kind_path(const MemoryState& state, const TreeOptions& options, const KindPathVisitor& visit) {
  collected(state, options).visit_all(visit);
}

} // namespace memviz
