#include "analysis/compare/same_segments.hpp"

#include "base/hash.hpp"
#include "base/hash_map.hpp"
#include "base/saturating.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace memviz {

namespace {

/// Hashes stacks by the contents of their frames, to compare stacks of two tables. Each text and each stack is hashed
/// once.
class StackHashes {
public:
  explicit StackHashes(const FrameTable& frames) : frames_(frames) {}

  [[nodiscard]] std::uint64_t of(StackId stack) {
    const auto [hash, is_new] = stacks_.add(stack.value);
    if (!is_new) return hash;
    std::uint64_t all = hash_secret();
    for (const FrameId id : frames_.stack(stack)) {
      const Frame& frame = frames_.frame(id);
      all = mixed(mixed(mixed(all, of(frame.name)), of(frame.filename)), static_cast<std::uint64_t>(frame.line));
    }
    return hash = all;
  }

private:
  [[nodiscard]] std::uint64_t of(StringId text) {
    const auto [hash, is_new] = texts_.add(text.value);
    if (is_new) hash = hash_of(frames_.text(text));
    return hash;
  }

  const FrameTable& frames_;
  HashMap<std::uint32_t, std::uint64_t> stacks_;
  HashMap<std::uint32_t, std::uint64_t> texts_;
};

/// The segments of one side at the end, indexed by address and size.
class EndSegments {
public:
  EndSegments(const MemoryState& state, const SegmentTimes* times)
      : state_(state), times_(times), hashes_(state.frames()) {
    for (const Segment& segment : state.recording->end.segments)
      segments_.push_back(&segment);
    std::ranges::sort(segments_, {}, key_of);
  }

  [[nodiscard]] const Segment& find(const SegmentRef& ref) const {
    return **std::ranges::lower_bound(segments_, std::tuple(ref.address, ref.total_bytes), {}, key_of);
  }
  [[nodiscard]] std::optional<std::int64_t> time_us(const Segment& segment) const {
    return times_ == nullptr ? std::nullopt : times_->time_us(segment.device, segment.address);
  }
  /// Returns nullopt if the segment has no stack.
  [[nodiscard]] std::optional<std::uint64_t> stack_hash(const Segment& segment) {
    if (state_.frames().stack(segment.stack).empty()) return std::nullopt;
    return hashes_.of(segment.stack);
  }

  /// A block in use: its place, its requested bytes, and the hash of its stack, 0 if it has none.
  struct UsedBlock {
    std::pair<std::uint64_t, std::uint64_t> place;
    std::uint64_t stack_hash = 0;
  };
  /// Returns the blocks in use, ascending by address.
  [[nodiscard]] std::vector<UsedBlock> used_blocks(const Segment& segment) {
    std::vector<UsedBlock> blocks;
    for (const Block& block : state_.recording->end.blocks_of(segment)) {
      if (!block.is_active()) continue;
      const bool has_stack = !state_.frames().stack(block.stack).empty();
      blocks.push_back({{block.address, block.requested_bytes}, has_stack ? hashes_.of(block.stack) : 0});
    }
    std::ranges::sort(blocks, {}, &UsedBlock::place);
    return blocks;
  }

private:
  [[nodiscard]] static std::tuple<std::uint64_t, std::uint64_t> key_of(const Segment* segment) {
    return {segment->address, segment->total_bytes};
  }

  const MemoryState& state_;
  const SegmentTimes* times_;
  StackHashes hashes_;
  std::vector<const Segment*> segments_;
};

/// Whether a month or more lies between the events of two recordings.
bool are_far_apart(const DeviceFigures& one, const DeviceFigures& other) {
  constexpr std::int64_t kMonthUs = std::int64_t{30} * 24 * 3600 * 1'000'000;
  const auto is_after = [](const DeviceFigures& later, const DeviceFigures& earlier) {
    return later.first_time_us && earlier.last_time_us &&
           saturating_difference(*later.first_time_us, *earlier.last_time_us) > kMonthUs;
  };
  return is_after(one, other) || is_after(other, one);
}

/// The fallback if no segment decides: few processes live for a month, and those that do keep most of their segments.
bool are_of_another_time(const SegmentSides& sides, std::size_t shared) {
  const std::size_t fewer =
      std::min(sides.before.recording->end.segments.size(), sides.after.recording->end.segments.size());
  return shared < fewer / 2 && are_far_apart(sum_of(sides.before.devices), sum_of(sides.after.devices));
}

using UsedBlocks = std::vector<EndSegments::UsedBlock>;

/// Counts the blocks that both sides have at the same place, with the same size and, if both have stacks, the same
/// stack.
std::size_t count_common(const UsedBlocks& before, const UsedBlocks& after) {
  return static_cast<std::size_t>(std::ranges::count_if(before, [&](const EndSegments::UsedBlock& block) {
    const auto other = std::ranges::lower_bound(after, block.place, {}, &EndSegments::UsedBlock::place);
    if (other == after.end() || other->place != block.place) return false;
    return block.stack_hash == 0 || other->stack_hash == 0 || block.stack_hash == other->stack_hash;
  }));
}

/// Whether the shared segments hold many blocks in use on both sides, none of which is on both. In one process some
/// blocks stay, such as weights; two different programs do not request the same sizes at the same places by the same
/// stacks.
bool have_other_blocks(EndSegments& before, EndSegments& after, std::span<const SegmentRef> shared) {
  constexpr std::size_t kMany = 8;
  std::size_t blocks = 0;
  for (const SegmentRef& ref : shared) {
    const UsedBlocks of_before = before.used_blocks(before.find(ref));
    const UsedBlocks of_after = after.used_blocks(after.find(ref));
    if (count_common(of_before, of_after) > 0) return false;
    blocks += std::min(of_before.size(), of_after.size());
  }
  return blocks >= kMany;
}

/// A process has one rank.
bool have_other_ranks(const SegmentSides& sides) {
  const auto& before = sides.before.recording->origin.rank;
  const auto& after = sides.after.recording->origin.rank;
  return before && after && before != after;
}

} // namespace

bool are_shared_by_chance(const SegmentSides& sides, std::span<const SegmentRef> shared) {
  if (shared.empty()) return false;
  if (have_other_ranks(sides)) return true;
  EndSegments before(sides.before, sides.before_times);
  EndSegments after(sides.after, sides.after_times);
  std::size_t same = 0;
  std::size_t different = 0;
  const auto count = [&](const auto& one, const auto& other) {
    if (one && other) ++(*one == *other ? same : different);
    return one && other;
  };
  for (const SegmentRef& ref : shared) {
    const Segment& one = before.find(ref);
    const Segment& other = after.find(ref);
    if (!count(before.time_us(one), after.time_us(other))) count(before.stack_hash(one), after.stack_hash(other));
  }
  if (same + different > 0) return different > same;
  return are_of_another_time(sides, shared.size()) || have_other_blocks(before, after, shared);
}

} // namespace memviz
