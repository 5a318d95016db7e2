#include "analysis/explain/pinned_pages.hpp"

#include "memviz/allocator_settings.hpp"

namespace memviz {

PinnedPages::PinnedPages(const MemoryMap& state, DeviceId device) {
  for (const Segment& segment : state.segments_of(device)) {
    if (segment.pool.is_private() || segment.uncovered_bytes > 0) continue; // what no block covers cannot be judged
    if (segment.is_expandable)
      add_expandable(state, segment);
    else
      add_segment(state, segment);
    add_free_runs(state, segment);
  }
}

/// Returns the page in which the next block lies: a new one or the last.
std::uint32_t PinnedPages::enter_page(std::uint64_t bytes, bool is_new) {
  if (is_new) pages_.push_back({bytes, static_cast<std::uint32_t>(blocks_.size()), 0, 0});
  ++pages_.back().count;
  ++pages_.back().in_use;
  return static_cast<std::uint32_t>(pages_.size() - 1);
}

void PinnedPages::add_segment(const MemoryMap& state, const Segment& segment) {
  bool is_new = true;
  for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
    if (!state.blocks[i].is_active()) continue;
    uses_.push_back({enter_page(segment.total_bytes, is_new), kNone, 0, false});
    blocks_.push_back(i);
    is_new = false;
  }
}

void PinnedPages::add_expandable(const MemoryMap& state, const Segment& segment) {
  const std::uint64_t page_size = page_bytes(is_small_segment(segment));
  const std::uint64_t whole_pages = segment.total_bytes / page_size;
  const auto bytes_of = [&](std::uint64_t page) { return page < whole_pages ? page_size : 0; };
  std::uint64_t next_page = 0; // all pages before it are entered or free
  for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
    const Block& block = state.blocks[i];
    if (!block.is_active() || block.size_bytes == 0) continue;
    const std::uint64_t first = (block.address - segment.address) / page_size;
    const std::uint64_t last = (block.address - segment.address + block.size_bytes - 1) / page_size;
    Use use;
    use.first_page = enter_page(bytes_of(first), first >= next_page);
    if (last > first) {
      use.own_bytes = (last - first - 1) * page_size;
      use.last_page = enter_page(bytes_of(last), true);
    }
    next_page = last + 1;
    uses_.push_back(use);
    blocks_.push_back(i);
  }
}

void PinnedPages::add_free_runs(const MemoryMap& state, const Segment& segment) {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  for (const Block& block : state.blocks_of(segment)) {
    if (block.is_active()) {
      free_bytes_ += releasable_bytes(segment, begin, end);
      begin = block.address - segment.address + block.size_bytes;
    }
    end = block.address - segment.address + block.size_bytes;
  }
  if (end > begin) free_bytes_ += releasable_bytes(segment, begin, end);
}

std::vector<PinnedPages::Group> PinnedPages::groups() const {
  std::vector<Group> groups;
  for (std::uint32_t position = 0; position < blocks_.size(); ++position)
    groups.push_back({position, 1});
  for (const Page& page : pages_)
    if (page.count > 1 && page.bytes > 0) groups.push_back({page.first, page.count});
  return groups;
}

std::uint64_t PinnedPages::free(std::uint32_t position) {
  Use& use = uses_[position];
  use.is_free = true;
  std::uint64_t gained = use.own_bytes;
  for (const std::uint32_t page : {use.first_page, use.last_page})
    if (page != kNone && --pages_[page].in_use == 0) gained += pages_[page].bytes;
  free_bytes_ += gained;
  return gained;
}

std::uint64_t PinnedPages::restore(std::uint32_t position) {
  Use& use = uses_[position];
  use.is_free = false;
  std::uint64_t lost = use.own_bytes;
  for (const std::uint32_t page : {use.first_page, use.last_page})
    if (page != kNone && pages_[page].in_use++ == 0) lost += pages_[page].bytes;
  free_bytes_ -= lost;
  return lost;
}

} // namespace memviz
