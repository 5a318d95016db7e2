#include "memviz/compare.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

std::uint64_t bytes_of(std::span<const SegmentRef> segments) {
  std::uint64_t bytes = 0;
  for (const SegmentRef& segment : segments)
    bytes += segment.total_bytes;
  return bytes;
}

std::int64_t Comparison::requested_delta_bytes() const {
  return static_cast<std::int64_t>(after.requested_bytes) - static_cast<std::int64_t>(before.requested_bytes);
}

std::vector<std::size_t> lines_over(const Comparison& comparison, const GrowthLimit& limit) {
  std::vector<std::size_t> lines;
  for (std::size_t i = 0; i < comparison.changes.size(); ++i) {
    const Change& change = comparison.changes[i].change;
    if (limit.is_exceeded(change.before.bytes, change.after.bytes)) lines.push_back(i);
  }
  return lines;
}

bool is_used(const DeviceFigures& figures) {
  return figures.end_reserved_bytes + figures.reserved_bytes + figures.peak_requested_bytes + figures.requested_bytes >
             0 ||
         figures.alloc_bytes + figures.free_bytes > 0;
}

bool Comparison::has_two_processes() const {
  if (!in_both.empty()) return is_in_both_by_chance;
  return !only_before.empty() && !only_after.empty();
}

} // namespace memviz
