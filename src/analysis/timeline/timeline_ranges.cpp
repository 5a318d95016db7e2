#include "analysis/timeline/timeline_ranges.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace memviz {
namespace {

/// The mapped ranges, by address, while time goes backward. Ranges never overlap.
class MappedRanges {
public:
  explicit MappedRanges(DeviceRecord& record) : record_(record) {}

  struct Range {
    std::uint64_t size_bytes;
    StackId stack;
    std::uint32_t end; ///< the state in which it is gone
    std::uint32_t home;
  };

  /// Adds the part of [address, address + size) that is not there already. Returns whether that was all of it.
  bool add(std::uint64_t address, const Range& range) {
    std::uint64_t end = end_of(address, range.size_bytes);
    const auto next = ranges_.lower_bound(address);
    if (next != ranges_.end()) end = std::min(end, next->first);
    if (next != ranges_.begin()) {
      const auto& [before, mapped] = *std::prev(next);
      if (before + mapped.size_bytes > address) return range.size_bytes == 0;
    }
    if (address < end) ranges_.emplace_hint(next, address, Range{end - address, range.stack, range.end, range.home});
    return end - address == range.size_bytes;
  }

  /// Removes [address, address + size), which began in `state`. Returns whether all of it was there.
  bool remove(const RangeChange& change) {
    const std::uint64_t begin = change.address;
    const std::uint64_t end = end_of(begin, change.size_bytes);
    split_at(begin);
    split_at(end);
    std::uint64_t removed_bytes = 0;
    auto next = ranges_.lower_bound(begin);
    while (next != ranges_.end() && next->first < end) {
      emit(next->first, next->second, change.state, change.stack);
      removed_bytes += next->second.size_bytes;
      next = ranges_.erase(next);
    }
    return removed_bytes == change.size_bytes;
  }

  /// The remaining ranges were mapped from the beginning.
  void finish() {
    for (const auto& [address, range] : ranges_)
      emit(address, range, 0, range.stack);
  }

private:
  static std::uint64_t end_of(std::uint64_t address, std::uint64_t size_bytes) {
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - address;
    return address + std::min(size_bytes, room);
  }

  void split_at(std::uint64_t address) {
    auto next = ranges_.upper_bound(address);
    if (next == ranges_.begin()) return;
    auto& [before, range] = *std::prev(next);
    if (before == address || before + range.size_bytes <= address) return;
    Range right = range;
    right.size_bytes = before + range.size_bytes - address;
    range.size_bytes = address - before;
    ranges_.emplace_hint(next, address, right);
  }

  void emit(std::uint64_t address, const Range& range, std::uint32_t begin, StackId stack) {
    if (begin >= range.end) return;
    record_.ranges.push_back({.address = address,
                              .size_bytes = range.size_bytes,
                              .stack = stack,
                              .begin = begin,
                              .end = range.end,
                              .home = range.home});
  }

  DeviceRecord& record_;
  std::map<std::uint64_t, Range> ranges_;
};

/// Returns the state after the last one in which more is live than reserved.
std::uint32_t covered_from(const DeviceRecord& record) {
  const std::vector<std::int64_t> live = live_bytes_by_state(record);
  std::size_t step = record.reserved.size() - 1;
  for (std::size_t state = live.size(); state-- > 0;) {
    while (record.reserved[step].state > state)
      --step;
    if (live[state] > static_cast<std::int64_t>(record.reserved[step].bytes))
      return static_cast<std::uint32_t>(state) + 1;
  }
  return 0;
}

} // namespace

void sum_up_ranges(DeviceRecord& record) {
  std::map<std::uint32_t, std::int64_t> changes{{0, 0}};
  for (const Life& range : record.ranges) {
    changes[range.begin] += static_cast<std::int64_t>(range.size_bytes);
    if (range.end != kForever) changes[range.end] -= static_cast<std::int64_t>(range.size_bytes);
  }
  std::int64_t reserved_bytes = 0;
  for (const auto& [state, change] : changes) {
    reserved_bytes += change;
    record.reserved.push_back({state, static_cast<std::uint64_t>(reserved_bytes)});
  }
}

std::vector<std::int64_t> live_bytes_by_state(const DeviceRecord& record) {
  // Sums are unsigned: the sizes of a hostile file may wrap around.
  std::vector<std::uint64_t> changes(record.states());
  for (const auto* const lives : {&record.lives, &record.freed_baseline, &record.kept_baseline})
    for (const Life& life : *lives) {
      changes[life.begin] += life.size_bytes;
      if (life.end != kForever) changes[life.end] -= life.size_bytes;
    }
  for (const auto& [state, bytes] : record.corrections)
    changes[state] += static_cast<std::uint64_t>(bytes);
  std::vector<std::int64_t> live;
  live.reserve(changes.size());
  std::uint64_t sum = 0;
  for (const std::uint64_t change : changes)
    live.push_back(static_cast<std::int64_t>(sum += change));
  return live;
}

void rebuild_ranges(const MemoryMap& memory, const std::vector<RangeChange>& changes, DeviceRecord& record) {
  std::map<Home, std::uint32_t> homes;
  for (const Home& home : record.homes)
    homes.try_emplace(home, static_cast<std::uint32_t>(homes.size()));
  MappedRanges mapped(record);
  for (const Segment& segment : memory.segments_of(record.device)) {
    const Home home{segment.stream, segment.pool};
    const auto [entry, is_new] = homes.try_emplace(home, static_cast<std::uint32_t>(record.homes.size()));
    if (is_new) record.homes.push_back(home);
    // An overlap with another segment is counted once.
    static_cast<void>(mapped.add(segment.address, {segment.total_bytes, segment.stack, kForever, entry->second}));
  }
  for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
    const bool fits = change->is_mapped
                          ? mapped.remove(*change)
                          : mapped.add(change->address, {change->size_bytes, kNoFrames, change->state, change->home});
    if (!fits) record.reserved_known_from = std::max(record.reserved_known_from, change->state);
  }
  mapped.finish();
  std::ranges::sort(record.ranges, [](const Life& left, const Life& right) {
    return left.begin != right.begin ? left.begin < right.begin : left.address < right.address;
  });
  sum_up_ranges(record);
  record.reserved_known_from = std::max(record.reserved_known_from, covered_from(record));
}

} // namespace memviz
