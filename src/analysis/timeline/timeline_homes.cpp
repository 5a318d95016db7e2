#include "analysis/timeline/timeline_ranges.hpp"
#include "memviz/timeline.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <span>

namespace memviz {
namespace {

/// The segments at the end of the recording, indexed by address.
class Segments {
public:
  Segments(const MemoryMap& memory, const DeviceRecord& record) : segments_(memory.segments_of(record.device)) {
    for (const Life& range : record.ranges)
      if (range.end == kForever) kept_.push_back(range);
    std::ranges::sort(kept_, {}, &Life::address);
  }

  /// Returns null if the memory was released since then, so that another segment is at the address at the end.
  [[nodiscard]] const Segment* segment_of(const Life& life) const {
    const auto after = std::ranges::upper_bound(kept_, life.address, {}, &Life::address);
    if (after == kept_.begin()) return nullptr;
    const Life& range = *std::prev(after);
    const bool is_kept = life.address - range.address < range.size_bytes && range.begin <= life.begin;
    return is_kept ? at(life.address) : nullptr;
  }

private:
  [[nodiscard]] const Segment* at(std::uint64_t address) const {
    const auto after =
        std::upper_bound(segments_.begin(), segments_.end(), address,
                         [](std::uint64_t wanted, const Segment& segment) { return wanted < segment.address; });
    if (after == segments_.begin()) return nullptr;
    const Segment& segment = *std::prev(after);
    return address - segment.address < segment.total_bytes ? &segment : nullptr;
  }

  std::span<const Segment> segments_;
  std::vector<Life> kept_; ///< mapped ranges that are there at the end, by address
};

class Splitter {
public:
  Splitter(const MemoryMap& memory, const DeviceRecord& record) : segments_(memory, record), record_(record) {}

  std::vector<DeviceRecord> run() {
    hand_out(&DeviceRecord::lives, &LifeKinds::lives);
    hand_out(&DeviceRecord::freed_baseline, &LifeKinds::freed_baseline);
    hand_out(&DeviceRecord::kept_baseline, &LifeKinds::kept_baseline);
    for (std::size_t i = 0; i < record_.kept_baseline.size(); ++i)
      record_of(record_.kept_baseline[i]).kept_blocks.push_back(record_.kept_blocks[i]);
    for (const Life& range : record_.ranges)
      record_of(range).ranges.push_back(range);
    std::vector<DeviceRecord> split;
    for (auto& [home, record] : by_home_) {
      record.homes = {home};
      sum_up_ranges(record);
      split.push_back(std::move(record));
    }
    return split;
  }

private:
  void hand_out(std::vector<Life> DeviceRecord::*lives, std::vector<KindOf> LifeKinds::*kinds) {
    const std::vector<Life>& all = record_.*lives;
    for (std::size_t i = 0; i < all.size(); ++i) {
      DeviceRecord& home = record_of(all[i]);
      (home.*lives).push_back(all[i]);
      if (record_.kinds) (*home.kinds.*kinds).push_back((*record_.kinds.*kinds)[i]);
    }
  }

  /// The event's own pool comes first, then the segment's, if it exists at the end; otherwise the life is counted with
  /// the default pool, to which most memory belongs.
  DeviceRecord& record_of(const Life& life) {
    Home home = life.home < record_.homes.size() ? record_.homes[life.home] : Home{};
    if (!home.pool) {
      const Segment* const segment = segments_.segment_of(life);
      home = segment != nullptr ? Home{segment->stream, segment->pool} : Home{home.stream, PoolId{}};
    }
    const auto [entry, is_new] = by_home_.try_emplace(home);
    if (is_new) {
      entry->second.device = record_.device;
      entry->second.events = record_.events;
      entry->second.times = record_.times;
      entry->second.annotations = record_.annotations;
      entry->second.reserved_known_from = record_.reserved_known_from;
      if (record_.kinds) entry->second.kinds.emplace();
    }
    return entry->second;
  }

  Segments segments_;
  const DeviceRecord& record_;
  std::map<Home, DeviceRecord> by_home_;
};

std::uint64_t most_reserved(const DeviceRecord& record) {
  std::uint64_t most = 0;
  for (const Step& step : record.reserved)
    most = std::max(most, step.bytes);
  return most;
}

template <class T> void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// Adds the lives of `part`; its reserved bytes are summed later.
void join(DeviceRecord& whole, const DeviceRecord& part) {
  append(whole.lives, part.lives);
  append(whole.freed_baseline, part.freed_baseline);
  append(whole.kept_baseline, part.kept_baseline);
  append(whole.kept_blocks, part.kept_blocks);
  append(whole.ranges, part.ranges);
  append(whole.homes, part.homes);
  if (!whole.kinds || !part.kinds) return;
  append(whole.kinds->lives, part.kinds->lives);
  append(whole.kinds->freed_baseline, part.kinds->freed_baseline);
  append(whole.kinds->kept_baseline, part.kinds->kept_baseline);
}

template <class T>
[[nodiscard]] std::vector<T> in_order(const std::vector<T>& of, const std::vector<std::size_t>& order) {
  std::vector<T> ordered;
  ordered.reserve(order.size());
  for (const std::size_t i : order)
    ordered.push_back(of[i]);
  return ordered;
}

/// Sorts by `begin`, each life with its kind.
void sort_lives(DeviceRecord& record) {
  std::vector<std::size_t> order(record.lives.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(
      order, [&](std::size_t left, std::size_t right) { return record.lives[left].begin < record.lives[right].begin; });
  record.lives = in_order(record.lives, order);
  if (record.kinds) record.kinds->lives = in_order(record.kinds->lives, order);
}

DeviceRecord joined(std::span<DeviceRecord> parts) {
  DeviceRecord whole = std::move(parts.front());
  for (const DeviceRecord& part : parts.subspan(1))
    join(whole, part);
  sort_lives(whole);
  std::ranges::sort(whole.ranges, [](const Life& left, const Life& right) {
    return left.begin != right.begin ? left.begin < right.begin : left.address < right.address;
  });
  whole.reserved.clear();
  sum_up_ranges(whole);
  return whole;
}

} // namespace

std::vector<DeviceRecord> split_by_home(const MemoryMap& memory, const DeviceRecord& record, std::size_t most) {
  std::vector<DeviceRecord> split = Splitter(memory, record).run();
  std::ranges::stable_sort(split, [](const DeviceRecord& left, const DeviceRecord& right) {
    return most_reserved(left) > most_reserved(right);
  });
  if (split.size() <= most) return split;
  split[most - 1] = joined(std::span(split).subspan(most - 1));
  split.resize(most);
  return split;
}

} // namespace memviz
