#include "analysis/compare/same_segments.hpp"

#include "base/hash.hpp"
#include "base/hash_map.hpp"
#include "base/saturating.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace memviz {

namespace {

/// Hashes of stacks by what their frames say, to compare stacks of two tables. A text is hashed once, as is a stack.
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

/// The segments of one side at the end, to be found by address and size.
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
  /// nullopt where the segment has no stack.
  [[nodiscard]] std::optional<std::uint64_t> stack_hash(const Segment& segment) {
    if (state_.frames().stack(segment.stack).empty()) return std::nullopt;
    return hashes_.of(segment.stack);
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

/// The fallback when no segment shows it: few processes live for a month, and those that do keep most of their
/// segments.
bool are_of_another_time(const SegmentSides& sides, std::size_t shared) {
  const std::size_t fewer =
      std::min(sides.before.recording->end.segments.size(), sides.after.recording->end.segments.size());
  return shared < fewer / 2 && are_far_apart(sum_of(sides.before.devices), sum_of(sides.after.devices));
}

} // namespace

bool are_shared_by_chance(const SegmentSides& sides, std::span<const SegmentRef> shared) {
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
  return same + different == 0 ? are_of_another_time(sides, shared.size()) : different > same;
}

} // namespace memviz
