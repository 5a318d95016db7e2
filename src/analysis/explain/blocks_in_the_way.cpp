#include "memviz/what_if.hpp"

#include <algorithm>
#include <utility>

namespace memviz {

namespace {

/// Consecutive blocks of a segment; without those in use among them there is one free run.
struct Run {
  std::uint32_t first_block = 0;
  std::uint32_t end_block = 0;
  std::uint32_t in_use = 0;
  std::uint64_t in_use_bytes = 0;
  std::uint64_t gain_bytes = 0; ///< what the run is good for
  bool found = false;

  /// What is to be as small as possible, first of all the first.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> cost(Smallest smallest) const {
    return smallest == Smallest::count ? std::pair<std::uint64_t, std::uint64_t>(in_use, in_use_bytes)
                                       : std::pair<std::uint64_t, std::uint64_t>(in_use_bytes, in_use);
  }
};

/// What a free run, from one address to another, gives back to the device.
std::uint64_t pages_in(const Segment& segment, std::uint64_t begin, std::uint64_t end) {
  return releasable_bytes(segment, begin - segment.address, end - segment.address);
}

class Search {
public:
  Search(const Snapshot& state, std::uint32_t device, const Request& request, const AllocatorSettings& settings,
         Smallest smallest)
      : state_(state), device_(device), request_(request), smallest_(smallest) {
    const std::uint64_t free_bytes = request.device_free_bytes.value_or(0);
    const std::uint64_t needed = needed_of_device(memory_ledger(state, device, request), request, settings);
    missing_bytes_ = needed > free_bytes ? needed - free_bytes : 0;
  }

  [[nodiscard]] std::vector<std::uint32_t> smallest_set() const {
    Run best;
    for (const Segment& segment : state_.segments_of(device_)) {
      if (takes_request(segment))
        consider(
            segment, request_.bytes, [](std::uint64_t begin, std::uint64_t end) { return end - begin; }, best);
      if (!segment.pool.is_private())
        consider(
            segment, missing_bytes_,
            [&](std::uint64_t begin, std::uint64_t end) { return pages_in(segment, begin, end); }, best);
    }
    const Released released = several();
    if (released.found && (!best.found || released.sum.cost(smallest_) < best.cost(smallest_))) return released.blocks;
    return best.found ? in_use_of(best) : std::vector<std::uint32_t>{};
  }

private:
  [[nodiscard]] bool takes_request(const Segment& segment) const {
    return segment.stream == request_.stream && segment.pool == request_.pool &&
           is_small_segment(segment) == request_.is_small();
  }

  /// The run of a segment with the smallest cost whose `gain` is at least `wanted`: two ends that only move on.
  template <class Gain> void consider(const Segment& segment, std::uint64_t wanted, Gain gain, Run& best) const {
    const std::uint32_t end = segment.first_block + segment.block_count;
    Run run{segment.first_block, segment.first_block, 0, 0, 0, true};
    for (; run.end_block < end;) {
      const Block& added = state_.blocks[run.end_block++];
      count(added, run, 1);
      const std::uint64_t run_end = added.address + added.size_bytes;
      while (run.first_block < run.end_block && gain(state_.blocks[run.first_block].address, run_end) >= wanted) {
        run.gain_bytes = gain(state_.blocks[run.first_block].address, run_end);
        if (!best.found || run.cost(smallest_) < best.cost(smallest_)) best = run;
        count(state_.blocks[run.first_block++], run, -1);
      }
    }
  }

  static void count(const Block& block, Run& run, int sign) {
    if (!block.is_active()) return;
    run.in_use = sign > 0 ? run.in_use + 1 : run.in_use - 1;
    run.in_use_bytes = sign > 0 ? run.in_use_bytes + block.size_bytes : run.in_use_bytes - block.size_bytes;
  }

  [[nodiscard]] std::vector<std::uint32_t> in_use_of(const Run& run) const {
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t i = run.first_block; i < run.end_block; ++i)
      if (state_.blocks[i].is_active()) blocks.push_back(i);
    return blocks;
  }

  struct Released {
    std::vector<std::uint32_t> blocks;
    Run sum;
    bool found = false;
  };

  /// Several segments emptied and given back, those with most for their cost first, until that is enough; then without
  /// those that turn out not to be needed.
  [[nodiscard]] Released several() const {
    std::vector<Run> candidates;
    for (const Segment& segment : state_.segments_of(device_))
      if (!segment.pool.is_private() && segment.block_count > 0) add_candidates(segment, candidates);
    const auto worth = [&](const Run& run) {
      return static_cast<double>(run.gain_bytes) /
             static_cast<double>(std::max<std::uint64_t>(1, run.cost(smallest_).first));
    };
    std::stable_sort(candidates.begin(), candidates.end(),
                     [&](const Run& left, const Run& right) { return worth(left) > worth(right); });
    std::vector<Run> chosen;
    std::uint64_t gained = 0;
    for (const Run& run : candidates) {
      if (gained >= missing_bytes_) break;
      gained += run.gain_bytes;
      chosen.push_back(run);
    }
    if (gained < missing_bytes_) return {};
    Released released;
    released.found = true;
    for (const Run& run : chosen) {
      if (gained - run.gain_bytes >= missing_bytes_) {
        gained -= run.gain_bytes;
        continue;
      }
      released.sum.in_use += run.in_use;
      released.sum.in_use_bytes += run.in_use_bytes;
      const auto more = in_use_of(run);
      released.blocks.insert(released.blocks.end(), more.begin(), more.end());
    }
    std::sort(released.blocks.begin(), released.blocks.end());
    return released;
  }

  /// A whole segment; in an expandable one each block in use with the free room at its sides, which do not overlap in
  /// whole pages unless they are counted twice, so every second block.
  void add_candidates(const Segment& segment, std::vector<Run>& candidates) const {
    const std::uint32_t end = segment.first_block + segment.block_count;
    if (!segment.is_expandable) {
      Run whole{segment.first_block, end, 0, 0, segment.total_bytes, true};
      for (const Block& block : state_.blocks_of(segment))
        count(block, whole, 1);
      if (whole.in_use > 0) candidates.push_back(whole);
      return;
    }
    for (std::uint32_t i = segment.first_block; i < end; ++i) {
      const Block& block = state_.blocks[i];
      if (!block.is_active()) continue;
      // Only its own pages and the free ones after it: those before it count for the block that stands there.
      std::uint64_t run_end = block.address + block.size_bytes;
      for (std::uint32_t next = i + 1; next < end && !state_.blocks[next].is_active(); ++next)
        run_end = state_.blocks[next].address + state_.blocks[next].size_bytes;
      const std::uint64_t gain = pages_in(segment, block.address, run_end);
      if (gain > 0) candidates.push_back({i, i + 1, 1, block.size_bytes, gain, true});
    }
  }

  const Snapshot& state_;
  std::uint32_t device_;
  const Request& request_;
  Smallest smallest_;
  std::uint64_t missing_bytes_ = 0;
};

} // namespace

std::vector<std::uint32_t> blocks_in_the_way(const Snapshot& state, std::uint32_t device, const Request& request,
                                             const AllocatorSettings& settings, Smallest smallest) {
  return Search(state, device, request, settings, smallest).smallest_set();
}

} // namespace memviz
