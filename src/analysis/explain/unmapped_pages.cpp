#include "analysis/explain/unmapped_pages.hpp"

#include <algorithm>
#include <limits>

namespace memviz {

UnmappedPages::UnmappedPages(const EventTable& events, std::size_t count) {
  for (std::size_t i = 0; i < std::min(count, events.size()); ++i) {
    const Action action = events.action(i);
    if (action != Action::segment_map && action != Action::segment_unmap) continue;
    const std::uint64_t begin = events.address(i);
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - begin;
    const std::uint64_t end = begin + std::min(events.size_bytes(i), room);
    if (begin == end) continue;
    if (action == Action::segment_map)
      remove(begin, end);
    else
      insert(begin, end);
  }
}

std::uint64_t UnmappedPages::bytes_before(std::uint64_t address) const {
  const auto found = begin_by_end_.find(address);
  return found == begin_by_end_.end() ? 0 : address - found->second;
}

void UnmappedPages::insert(std::uint64_t begin, std::uint64_t end) {
  auto next = begin_by_end_.lower_bound(begin);
  while (next != begin_by_end_.end() && next->second <= end) {
    begin = std::min(begin, next->second);
    end = std::max(end, next->first);
    next = begin_by_end_.erase(next);
  }
  begin_by_end_[end] = begin;
}

void UnmappedPages::remove(std::uint64_t begin, std::uint64_t end) {
  auto next = begin_by_end_.upper_bound(begin);
  while (next != begin_by_end_.end() && next->second < end) {
    const auto [found_end, found_begin] = *next;
    next = begin_by_end_.erase(next);
    if (found_begin < begin) begin_by_end_[begin] = found_begin;
    if (found_end > end) begin_by_end_[found_end] = end;
  }
}

} // namespace memviz
