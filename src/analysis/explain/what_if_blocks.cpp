#include "memviz/what_if.hpp"

#include "analysis/explain/pinned_pages.hpp"
#include "analysis/explain/trial.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <tuple>
#include <utility>

// Two ways make room: one free run that takes the request, or enough pages and segments that return to the device.
// Candidate sets are found by counting, cheapest first. Whether a set is enough is decided by the model of the
// allocator, because how much the device has to supply depends on where PyTorch looks for room.

namespace memviz {

namespace {

using Blocks = std::vector<std::uint32_t>;

/// The cost of a choice of blocks, compared in this order. The last number breaks ties: it is smaller if the lines of
/// the blocks hold more.
using Cost = std::array<std::uint64_t, 3>;

/// Blocks, their bytes, and the bytes of their lines.
struct Weight {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0;
  std::uint64_t line_bytes = 0;
};

/// Consecutive blocks of a segment; without those in use among them they are one free run.
struct Run {
  std::uint32_t first_block = 0;
  std::uint32_t end_block = 0;
  Weight in_use;
};

std::uint64_t less(std::uint64_t bytes, std::uint64_t taken) {
  return bytes > taken ? bytes - taken : 0;
}

class Search {
public:
  Search(const MemoryState& state, DeviceId device, const Request& request, const AllocatorSettings& settings,
         const BlockSearch& search)
      : state_(state), device_(device), request_(request), settings_(settings), smallest_(search.smallest),
        line_bytes_(search.line_bytes), trial_(state, device, request, settings, search.releases_cache),
        trials_left_(most_trials(state, device)) {}

  [[nodiscard]] Blocks smallest_set() {
    if (fits({})) return {};
    add_runs_for_request();
    for (const std::uint64_t needed : possible_needs()) {
      const std::uint64_t missing = less(needed, request_.device_free_bytes.value_or(0));
      add_runs_to_give_back(missing);
      add_pages_to_give_back(missing);
    }
    std::ranges::sort(found_);
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    const auto best = std::ranges::find_if(found_, [&](const auto& candidate) { return fits(candidate.second); });
    const Blocks few = best == found_.end() ? fewest_of_all() : without_idle(best->second);
    return smallest_ == Smallest::bytes || few.size() == 1 ? few : one_instead_of(few);
  }

private:
  /// A trial takes time proportional to the blocks; the total of all trials is bounded.
  static std::size_t most_trials(const MemoryState& state, DeviceId device) {
    constexpr std::size_t kMost = 256;
    constexpr std::size_t kMostBlocks = std::size_t{1} << 21U;
    std::size_t blocks = 1;
    for (const Segment& segment : state.segments_of(device))
      blocks += segment.block_count;
    return std::clamp<std::size_t>(kMostBlocks / blocks, 8, kMost);
  }

  [[nodiscard]] bool fits(const Blocks& blocks) {
    if (trials_left_ == 0) return false;
    --trials_left_;
    return trial_.fits_without(blocks);
  }

  [[nodiscard]] Cost cost(const Weight& weight) const {
    return smallest_ == Smallest::count ? Cost{weight.blocks, weight.bytes, ~weight.line_bytes}
                                        : Cost{weight.bytes, weight.blocks, ~weight.line_bytes};
  }

  /// Returns all bytes of the line of a block.
  [[nodiscard]] std::uint64_t line_bytes(std::uint32_t block) const {
    return line_bytes_.empty() ? 0 : line_bytes_[block];
  }

  void count_in(std::uint32_t block, Weight& weight) const {
    ++weight.blocks;
    weight.bytes += state_.blocks[block].size_bytes;
    weight.line_bytes += line_bytes(block);
  }
  void count_out(std::uint32_t block, Weight& weight) const {
    --weight.blocks;
    weight.bytes -= state_.blocks[block].size_bytes;
    weight.line_bytes -= line_bytes(block);
  }

  /// Returns the amounts that the device may have to supply: at most what the request takes alone, less if free
  /// memory adjoins the pages that are mapped for it.
  [[nodiscard]] std::vector<std::uint64_t> possible_needs() const {
    const std::uint64_t alone = needed_alone_bytes(settings_, request_.bytes, request_.pool);
    if (!settings_.expands(request_.pool)) return {alone};
    return {alone, less(alone, page_bytes(request_.is_small())), trial_.needed_bytes()};
  }

  void add(Blocks blocks) {
    if (blocks.empty()) return;
    Weight sum;
    for (const std::uint32_t block : blocks)
      count_in(block, sum);
    found_.emplace_back(cost(sum), std::move(blocks));
  }

  // One free run

  [[nodiscard]] bool takes_request(const Segment& segment) const {
    return segment.stream == request_.stream && segment.pool == request_.pool &&
           is_small_segment(segment) == request_.is_small();
  }

  void add_runs_for_request() {
    std::vector<std::pair<Cost, Run>> runs;
    for (const Segment& segment : state_.segments_of(device_)) {
      if (!takes_request(segment)) continue;
      const auto length = [](std::uint64_t begin, std::uint64_t end) { return end - begin; };
      consider(segment, request_.bytes, length, runs);
      if (segment.is_expandable) consider_end(segment, runs);
    }
    keep_cheapest(std::move(runs));
  }

  /// Consecutive blocks that return this many bytes.
  void add_runs_to_give_back(std::uint64_t missing) {
    std::vector<std::pair<Cost, Run>> runs;
    for (const Segment& segment : state_.segments_of(device_)) {
      if (segment.pool.is_private()) continue;
      const auto pages = [&](std::uint64_t begin, std::uint64_t end) {
        return releasable_bytes(segment, begin - segment.address, end - segment.address);
      };
      consider(segment, std::max<std::uint64_t>(1, missing), pages, runs);
    }
    keep_cheapest(std::move(runs));
  }

  /// Returns the cheapest run of a segment whose `gain` is at least `wanted`, found with two indices that only move
  /// forward.
  template <class Gain>
  void consider(const Segment& segment, std::uint64_t wanted, Gain gain,
                std::vector<std::pair<Cost, Run>>& runs) const {
    Run run{segment.first_block, segment.first_block, {}};
    std::optional<std::pair<Cost, Run>> best;
    while (run.end_block < segment.first_block + segment.block_count) {
      const Block& added = state_.blocks[run.end_block];
      if (added.is_active()) count_in(run.end_block, run.in_use);
      ++run.end_block;
      const std::uint64_t run_end = added.address + added.size_bytes;
      while (run.first_block < run.end_block && gain(state_.blocks[run.first_block].address, run_end) >= wanted) {
        const Cost paid = cost(run.in_use);
        if (!best || paid < best->first) best.emplace(paid, run);
        if (state_.blocks[run.first_block].is_active()) count_out(run.first_block, run.in_use);
        ++run.first_block;
      }
    }
    if (best) runs.push_back(*best);
  }

  /// The last blocks of an expandable segment: the device's remaining memory is mapped after them.
  void consider_end(const Segment& segment, std::vector<std::pair<Cost, Run>>& runs) const {
    const std::uint64_t page = page_bytes(request_.is_small());
    const std::uint64_t mappable = request_.device_free_bytes.value_or(0) / page * page;
    const std::uint64_t wanted = less(request_.bytes, mappable);
    Run run{segment.first_block + segment.block_count, segment.first_block + segment.block_count, {}};
    std::uint64_t length = 0;
    while (run.first_block > segment.first_block && length < wanted) {
      const Block& added = state_.blocks[--run.first_block];
      if (added.is_active()) count_in(run.first_block, run.in_use);
      length += added.size_bytes;
    }
    if (length >= wanted) runs.emplace_back(cost(run.in_use), run);
  }

  void keep_cheapest(std::vector<std::pair<Cost, Run>> runs) {
    constexpr std::size_t kKept = 4;
    const auto by_cost = [](const auto& left, const auto& right) { return left.first < right.first; };
    std::ranges::stable_sort(runs, by_cost);
    for (std::size_t i = 0; i < std::min(kKept, runs.size()); ++i) {
      Blocks blocks;
      for (std::uint32_t block = runs[i].second.first_block; block < runs[i].second.end_block; ++block)
        if (state_.blocks[block].is_active()) blocks.push_back(block);
      add(std::move(blocks));
    }
  }

  // Pages and segments here and there

  struct Offer {
    double worth = 0; ///< bytes returned per cost
    std::uint64_t line_bytes = 0;
    PinnedPages::Group group;
  };

  void add_pages_to_give_back(std::uint64_t missing) {
    PinnedPages pages(state_, device_);
    std::vector<std::uint32_t> chosen;
    for (const Offer& offer : offers(pages)) {
      if (pages.free_bytes() >= missing) break;
      for (std::uint32_t i = offer.group.first; i < offer.group.first + offer.group.count; ++i) {
        if (pages.is_free(i)) continue;
        static_cast<void>(pages.free(i));
        chosen.push_back(i);
      }
    }
    if (pages.free_bytes() < missing) return;
    drop_superfluous(pages, chosen, missing);
    Blocks blocks;
    for (const std::uint32_t position : chosen)
      blocks.push_back(pages.blocks()[position]);
    std::ranges::sort(blocks);
    add(std::move(blocks));
  }

  /// Sorts by value, best first, each judged separately.
  [[nodiscard]] std::vector<Offer> offers(PinnedPages& pages) const {
    std::vector<Offer> offers;
    for (const PinnedPages::Group& group : pages.groups()) {
      std::uint64_t gained = 0;
      Weight weight;
      for (std::uint32_t i = group.first; i < group.first + group.count; ++i) {
        gained += pages.free(i);
        count_in(pages.blocks()[i], weight);
      }
      for (std::uint32_t i = group.first; i < group.first + group.count; ++i)
        static_cast<void>(pages.restore(i));
      const std::uint64_t paid = std::max<std::uint64_t>(1, cost(weight).front());
      if (gained > 0)
        offers.push_back({static_cast<double>(gained) / static_cast<double>(paid), weight.line_bytes, group});
    }
    std::ranges::stable_sort(offers, [](const Offer& left, const Offer& right) {
      return left.worth != right.worth ? left.worth > right.worth : left.line_bytes > right.line_bytes;
    });
    return offers;
  }

  /// Reduces a set until no block can be removed; removes the most expensive first and, among equals, those of small
  /// lines.
  void drop_superfluous(PinnedPages& pages, std::vector<std::uint32_t>& chosen, std::uint64_t missing) const {
    const auto rank = [&](std::uint32_t position) {
      const std::uint32_t block = pages.blocks()[position];
      return std::pair(~state_.blocks[block].size_bytes, line_bytes(block));
    };
    std::ranges::stable_sort(chosen, [&](std::uint32_t left, std::uint32_t right) { return rank(left) < rank(right); });
    std::erase_if(chosen, [&](std::uint32_t position) {
      static_cast<void>(pages.restore(position));
      if (pages.free_bytes() >= missing) return true;
      static_cast<void>(pages.free(position));
      return false;
    });
  }

  /// The model may need less than counted: removes each block without which the others are still enough.
  [[nodiscard]] Blocks without_idle(Blocks blocks) {
    for (std::size_t i = blocks.size(); i > 0 && blocks.size() > 1 && trials_left_ > 0; --i) {
      Blocks fewer = blocks;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i - 1));
      if (fits(fewer)) blocks = std::move(fewer);
    }
    return blocks;
  }

  /// Searches if counting found nothing: starts with all blocks, if freeing them is enough, and puts back what can
  /// stay, by bisection.
  [[nodiscard]] Blocks fewest_of_all() {
    Blocks blocks;
    for (const Segment& segment : state_.segments_of(device_))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (state_.blocks[i].is_active()) blocks.push_back(i);
    std::ranges::sort(blocks);
    if (blocks.empty() || !fits(blocks)) return {};
    for (std::size_t length = (blocks.size() + 1) / 2; length > 0 && trials_left_ > 0; length /= 2) {
      for (std::size_t first = 0; first < blocks.size() && trials_left_ > 0;) {
        Blocks fewer(blocks.begin(), blocks.begin() + static_cast<std::ptrdiff_t>(first));
        const std::size_t end = std::min(blocks.size(), first + length);
        fewer.insert(fewer.end(), blocks.begin() + static_cast<std::ptrdiff_t>(end), blocks.end());
        if (fits(fewer))
          blocks = std::move(fewer);
        else
          first = end;
      }
    }
    return without_idle(std::move(blocks));
  }

  /// Replaces several blocks, or none found by counting, with a single one, if one of the largest is enough.
  [[nodiscard]] Blocks one_instead_of(Blocks several) {
    Blocks largest;
    for (const Segment& segment : state_.segments_of(device_))
      for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
        if (state_.blocks[i].is_active()) largest.push_back(i);
    const std::size_t tried = std::min<std::size_t>(largest.size(), 64);
    const auto rank = [&](std::uint32_t block) {
      return std::tuple(~state_.blocks[block].size_bytes, ~line_bytes(block), block);
    };
    std::partial_sort(largest.begin(), largest.begin() + static_cast<std::ptrdiff_t>(tried), largest.end(),
                      [&](std::uint32_t left, std::uint32_t right) { return rank(left) < rank(right); });
    largest.resize(tried);
    for (const std::uint32_t block : largest)
      if (fits({block})) return {block};
    return several;
  }

  const MemoryState& state_;
  DeviceId device_;
  const Request& request_;
  const AllocatorSettings& settings_;
  Smallest smallest_;
  std::span<const std::uint64_t> line_bytes_;
  Trial trial_;
  std::size_t trials_left_;
  std::vector<std::pair<Cost, Blocks>> found_;
};

} // namespace

std::vector<std::uint32_t> blocks_in_the_way(const MemoryState& state, DeviceId device, const Request& request,
                                             const AllocatorSettings& settings, const BlockSearch& search) {
  return Search(state, device, request, settings, search).smallest_set();
}

} // namespace memviz
