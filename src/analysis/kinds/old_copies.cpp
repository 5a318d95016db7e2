#include "analysis/kinds/old_copies.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

namespace memviz {

namespace {

/// The maximum: a model, an averaged one, a reference, and the states of any PyTorch optimizer.
constexpr std::uint64_t kMostCopies = 8;

/// An old block of a gradient's size.
struct Place {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::size_t segment = 0;        ///< its index in time order
  bool is_first = false;          ///< in its segment
  std::uint64_t newer_before = 0; ///< bytes before it in time order that are newer, or free
  /// The number of the copy that it belongs to: the first blocks of a size, as many as there are gradients, are copy 0.
  /// A block after a gap was made after something had been freed, so it belongs to the last copy.
  std::uint64_t copy = 0;
};

/// Orders the driver's units of 32 MiB from the highest address down, and the segments of each upward. Excludes larger
/// segments, for which the driver looks for a gap between addresses.
std::vector<const Segment*> ordered_by_units(std::span<const Segment> segments) {
  constexpr std::uint64_t kUnitBytes = std::uint64_t{1} << 25U;
  std::vector<const Segment*> ordered;
  for (const Segment& segment : segments)
    if (segment.total_bytes <= kUnitBytes) ordered.push_back(&segment);
  std::ranges::stable_sort(ordered, std::ranges::greater(),
                           [](const Segment* segment) { return segment->address / kUnitBytes; });
  return ordered;
}

class Layout {
public:
  Layout(const SizeTable& sizes, std::uint64_t copies) : sizes_(sizes), copies_(copies) {}

  void add(const MemoryMap& end, const Segment& segment, const std::function<OldBlock(std::uint32_t)>& block_at);
  /// Whether the first `early` copies were made together, and others after a training step.
  [[nodiscard]] bool is_split_after(std::uint64_t early) const;
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }

private:
  [[nodiscard]] bool has_all_before_gaps(std::uint64_t early) const;

  const SizeTable& sizes_;
  std::uint64_t copies_;
  std::vector<Place> places_;
  std::size_t segments_ = 0;
  std::uint64_t newer_ = 0;                            ///< bytes so far that are newer, or free
  std::map<std::uint64_t, std::uint64_t> before_gaps_; ///< by size: the number of blocks that are not after a gap
};

void Layout::add(const MemoryMap& end, const Segment& segment, const std::function<OldBlock(std::uint32_t)>& block_at) {
  const std::uint64_t newer_before_segment = newer_;
  for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
    const Block& block = end.blocks[i];
    const std::uint64_t size = block.requested_bytes;
    const OldBlock role = block_at(i);
    if (role == OldBlock::newer) newer_ = saturating_sum(newer_, block.size_bytes);
    if (role != OldBlock::candidate || !sizes_.has_old_copies(size, copies_)) continue;
    Place place{block.address, size, segments_, i == segment.first_block, newer_, copies_ - 1};
    const bool is_after_gap = newer_ > newer_before_segment;
    std::uint64_t& before_gaps = before_gaps_[size];
    if (!is_after_gap) place.copy = before_gaps++ / (sizes_.of(size).old / copies_);
    places_.push_back(place);
  }
  ++segments_;
}

/// Memory that was free when the model was made would have been used.
bool Layout::has_all_before_gaps(std::uint64_t early) const {
  return std::ranges::all_of(before_gaps_, [&](const auto& counted) {
    const auto& [size, count] = counted;
    return count >= early * (sizes_.of(size).old / copies_);
  });
}

bool Layout::is_split_after(std::uint64_t early) const {
  std::optional<std::size_t> late_segment;
  bool has_begun_late = false;
  std::uint64_t copied_bytes = 0;
  std::uint64_t before_early = 0;
  std::uint64_t before_late = 0;
  for (const Place& place : places_) {
    if (place.copy == 0) copied_bytes = saturating_sum(copied_bytes, place.size_bytes);
    if (place.copy >= early) {
      late_segment = place.segment;
      has_begun_late = has_begun_late || place.is_first;
      before_late = place.newer_before;
    } else if (has_begun_late || late_segment == place.segment) {
      return false;
    } else {
      before_early = place.newer_before;
    }
  }
  // The step has made gradients and activations.
  const std::uint64_t step_bytes = copied_bytes / 2;
  return step_bytes > 0 && before_early < step_bytes && before_late >= before_early + step_bytes &&
         has_all_before_gaps(early);
}

/// Returns the kinds on which all possible splits agree, sorted by address.
std::vector<OldCopy> kinds_by(const Layout& layout, std::uint64_t copies) {
  std::uint64_t latest = 0;
  for (std::uint64_t split = 1; split < copies; ++split)
    if (layout.is_split_after(split)) latest = split;
  std::vector<OldCopy> found;
  if (latest == 0) return found;
  for (const Place& place : layout.places())
    if (place.copy >= latest)
      found.push_back({place.address, MemoryKind::optimizer_state});
    else if (latest == 1) // with several early copies, one is the model and the others are averages of it or references
      found.push_back({place.address, MemoryKind::parameter});
  std::ranges::sort(found);
  return found;
}

} // namespace

std::vector<const Segment*> ordered_by_runs(std::span<const Segment> segments) {
  std::vector<const Segment*> ordered;
  for (std::size_t end = segments.size(); end > 0;) {
    std::size_t begin = end - 1;
    while (begin > 0 && segments[begin].address - segments[begin - 1].address == segments[begin - 1].total_bytes)
      --begin;
    for (std::size_t i = begin; i < end; ++i)
      ordered.push_back(&segments[i]);
    end = begin;
  }
  return ordered;
}

std::vector<OldCopy> find_old_copies(const MemoryMap& end, std::span<const Segment> segments, const SizeTable& sizes,
                                     const std::function<OldBlock(std::uint32_t)>& block_at) {
  const std::uint64_t copies = sizes.old_per_gradient();
  if (copies < 2 || copies > kMostCopies) return {};
  const auto kinds_in = [&](const std::vector<const Segment*>& ordered) {
    Layout layout(sizes, copies);
    for (const Segment* const segment : ordered)
      layout.add(end, *segment, block_at);
    return kinds_by(layout, copies);
  };
  const std::vector<OldCopy> by_runs = kinds_in(ordered_by_runs(segments));
  const std::vector<OldCopy> by_units = kinds_in(ordered_by_units(segments));
  std::vector<OldCopy> found;
  std::ranges::set_union(by_runs, by_units, std::back_inserter(found));
  // A block for which the orders give different kinds gets none.
  std::vector<OldCopy> agreed;
  for (auto begin = found.begin(); begin != found.end();) {
    const auto next =
        std::find_if(begin, found.end(), [&](const OldCopy& copy) { return copy.address != begin->address; });
    if (next - begin == 1) agreed.push_back(*begin);
    begin = next;
  }
  return agreed;
}

} // namespace memviz
