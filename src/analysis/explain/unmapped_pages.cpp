#include "analysis/explain/unmapped_pages.hpp"

#include <algorithm>
#include <iterator>
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
      map(begin, end, events[i].stream);
    else
      unmap(begin, end);
  }
}

std::uint64_t UnmappedPages::bytes_before(std::uint64_t address) const {
  const auto found = begin_by_end_.find(address);
  return found == begin_by_end_.end() ? 0 : address - found->second;
}

void UnmappedPages::map(std::uint64_t begin, std::uint64_t end, std::int64_t stream) {
  auto range = range_at(begin);
  if (range != ranges_.end() && range->second.stream != stream) {
    if (begin < range->second.end) forget(range);
    range = ranges_.end();
  }
  remove(begin, end);
  if (range == ranges_.end()) {
    ranges_[begin] = {end, end - begin, stream};
    return;
  }
  range->second.end = std::max(range->second.end, end);
  range->second.mapped_bytes += end - begin;
}

void UnmappedPages::unmap(std::uint64_t begin, std::uint64_t end) {
  insert(begin, end);
  const auto range = range_at(begin);
  if (range == ranges_.end()) return; // mapped before the first event
  range->second.mapped_bytes -= std::min(range->second.mapped_bytes, end - begin);
  if (range->second.mapped_bytes == 0) forget(range);
}

UnmappedPages::Ranges::iterator UnmappedPages::range_at(std::uint64_t address) {
  const auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return ranges_.end();
  const auto range = std::prev(after);
  return address <= range->second.end ? range : ranges_.end();
}

void UnmappedPages::forget(Ranges::iterator range) {
  remove(range->first, range->second.end);
  ranges_.erase(range);
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
