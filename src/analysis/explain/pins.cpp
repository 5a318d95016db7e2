#include "memviz/pins.hpp"

#include "analysis/explain/state_lines.hpp"
#include "memviz/allocator_settings.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace memviz {
namespace {

/// Returns the bytes of a segment's pages that are entirely free. Adjacent free blocks count as one; blocks outside the
/// segment, which only damaged files have, do not count.
std::uint64_t unmappable_bytes(const Segment& segment, std::span<const Block> blocks) {
  std::uint64_t bytes = 0;
  std::uint64_t run_begin = 0;
  std::uint64_t run_end = 0;
  for (const Block& block : blocks) {
    if (block.is_active() || block.address < segment.address) continue;
    const std::uint64_t begin = block.address - segment.address;
    if (begin > segment.total_bytes || block.size_bytes > segment.total_bytes - begin) continue;
    if (begin != run_end) {
      bytes += releasable_bytes(segment, run_begin, run_end);
      run_begin = begin;
    }
    run_end = begin + block.size_bytes;
  }
  return bytes + releasable_bytes(segment, run_begin, run_end);
}

/// Whether `part` is less than `percent` of `whole`; both are at most kMaxTotalBytes.
bool is_below(std::uint64_t part, std::uint64_t whole, unsigned percent) {
  return static_cast<double>(part) < static_cast<double>(whole) / 100 * percent;
}

class PinFinder {
public:
  /// Calls `make_names` once, and only for a device on which something is pinned, because it looks at all frames.
  PinFinder(const MemoryState& state, std::function<StateLines&()> make_names)
      : state_(state), make_names_(std::move(make_names)) {}

  void look_at(std::uint32_t index, unsigned below_percent) {
    const Segment& segment = state_.segments[index];
    const std::span<const Block> blocks = state_.blocks_of(segment);
    PinnedSegment pinned{index, {}, 0, {}};
    std::uint64_t free_bytes = 0;
    for (const Block& block : blocks) {
      if (block.is_active()) pinned.active += {block.size_bytes, 1};
      if (!block.is_active()) free_bytes += block.size_bytes;
    }
    if (pinned.active.blocks == 0 || !is_below(pinned.active.bytes, segment.total_bytes, below_percent)) return;
    const std::uint64_t unmappable = unmappable_bytes(segment, blocks);
    pinned.held_bytes = free_bytes - std::min(free_bytes, unmappable);
    if (pinned.held_bytes == 0) return;
    pinned.lines = lines_of(segment);
    add(std::move(pinned));
  }

  [[nodiscard]] Pins finish() {
    if (names_ == nullptr) return std::move(pins_);
    for (const auto& [key, line] : lines_)
      pins_.lines.push_back(line);
    std::ranges::sort(pins_.lines, [&](const PinningLine& left, const PinningLine& right) {
      const auto weight = [](const PinningLine& line) { return std::tie(line.alone_bytes, line.held_bytes); };
      if (weight(left) != weight(right)) return weight(left) > weight(right);
      return names_->order.is_before(left.key, right.key);
    });
    std::stable_sort(
        pins_.segments.begin(), pins_.segments.end(),
        [](const PinnedSegment& left, const PinnedSegment& right) { return left.held_bytes > right.held_bytes; });
    return std::move(pins_);
  }

private:
  [[nodiscard]] std::vector<UserLine> lines_of(const Segment& segment) {
    if (names_ == nullptr) names_ = &make_names_();
    LineAmounts amounts;
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = state_.blocks[i];
      if (block.is_active()) amounts.add(names_->lines.line_of(segment.device, i), {block.size_bytes, 1});
    }
    return amounts.ranked(names_->order);
  }

  void add(PinnedSegment pinned) {
    for (const UserLine& line : pinned.lines) {
      PinningLine& sum = lines_[line.key];
      sum.key = line.key;
      sum.active += line.amount;
      ++sum.segments;
      sum.held_bytes += pinned.held_bytes;
      if (pinned.lines.size() == 1) sum.alone_bytes += pinned.held_bytes;
    }
    pins_.active += pinned.active;
    pins_.held_bytes += pinned.held_bytes;
    pins_.segments.push_back(std::move(pinned));
  }

  const MemoryState& state_;
  std::function<StateLines&()> make_names_;
  StateLines* names_ = nullptr;
  std::map<NodeKey, PinningLine> lines_;
  Pins pins_;
};

Pins found(PinFinder finder, const MemoryState& state, const PinOptions& options) {
  for (const Segment& segment : state.segments_of(options.device))
    finder.look_at(static_cast<std::uint32_t>(&segment - state.segments.data()), options.below_percent);
  return finder.finish();
}

} // namespace

Pins find_pins(const MemoryState& state, const PinOptions& options) {
  std::optional<StateLines> names;
  return found(PinFinder(state, [&]() -> StateLines& { return names.emplace(state); }), state, options);
}

Pins find_pins(const MemoryState& state, StateLines& names, const PinOptions& options) {
  return found(PinFinder(state, [&]() -> StateLines& { return names; }), state, options);
}

} // namespace memviz
