#include "recording/profiler_memory.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace memviz {
namespace {

struct LiveMemory {
  std::uint64_t size_bytes = 0;
  std::uint32_t event = 0;
};
using LiveByAddress = std::map<std::uint64_t, LiveMemory>; // balanced, whatever the addresses

/// Ranges of addresses that neither overlap nor touch.
class AddressRanges {
public:
  void add(std::uint64_t begin, std::uint64_t end) {
    auto at = ends_.upper_bound(begin);
    if (at != ends_.begin() && std::prev(at)->second >= begin) --at;
    while (at != ends_.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ends_.erase(at);
    }
    ends_.emplace(begin, end);
  }

  [[nodiscard]] bool overlap(std::uint64_t begin, std::uint64_t end) const {
    const auto at = ends_.lower_bound(end);
    return at != ends_.begin() && std::prev(at)->second > begin;
  }

  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& ends() const { return ends_; } ///< by beginning

private:
  std::map<std::uint64_t, std::uint64_t> ends_;
};

struct ProfilerDevice {
  LiveByAddress live;
  AddressRanges ranges; ///< of all memory events
  std::vector<std::uint32_t> changes;
  std::vector<std::uint64_t> old_addresses; ///< of memory that was allocated before the trace
  std::uint64_t allocated_bytes = 0;
  std::optional<std::uint64_t> reserved_bytes;
};

/// A segment that is made up, and its life as far as changes show it.
struct MadeUpSegment {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint32_t first_change = 0;
  std::uint32_t last_change = 0;
  bool is_free = false;     ///< at the end
  bool is_older = false;    ///< than the trace
  bool is_returned = false; ///< before the end

  [[nodiscard]] std::uint64_t size_bytes() const { return end - begin; }
};

/// Changes that are missing next to a recorded one.
struct ChangesAround {
  std::optional<ProfilerChange> before;
  std::optional<ProfilerChange> after;
};

class MemoryMaker {
public:
  explicit MemoryMaker(const std::vector<ProfilerMemoryEvent>& events) : events_(events) {}

  [[nodiscard]] ProfilerMemory make() {
    for (std::uint32_t i = 0; i < events_.size(); ++i)
      add(i);
    for (auto& [index, device] : devices_)
      add_segments({index}, device);
    if (memory_.has_returned) add_segment_changes();
    return std::move(memory_);
  }

private:
  void add(std::uint32_t number) {
    const ProfilerMemoryEvent& event = events_[number];
    ProfilerDevice& device = devices_[event.device.value];
    if (event.allocated_bytes) device.allocated_bytes = *event.allocated_bytes;
    if (event.reserved_bytes) device.reserved_bytes = event.reserved_bytes;
    if (event.is_free)
      add_free(device, number);
    else
      add_allocation(device, number);
  }

  void add_free(ProfilerDevice& device, std::uint32_t number) {
    const ProfilerMemoryEvent& event = events_[number];
    std::uint64_t size_bytes = event.size_bytes;
    if (const auto found = device.live.find(event.address); found != device.live.end()) {
      size_bytes = found->second.size_bytes;
      device.live.erase(found);
    } else if (device.ranges.overlap(event.address, event.address + size_bytes)) {
      ++memory_.left_out_frees;
      return;
    } else {
      device.ranges.add(event.address, event.address + size_bytes);
      device.old_addresses.push_back(event.address);
    }
    add_change(device, {number, event.address, size_bytes, Action::free_completed});
  }

  void add_allocation(ProfilerDevice& device, std::uint32_t number) {
    const ProfilerMemoryEvent& event = events_[number];
    free_below(device, number);
    device.live[event.address] = {event.size_bytes, number};
    device.ranges.add(event.address, event.address + event.size_bytes);
    add_change(device, {number, event.address, event.size_bytes, Action::alloc});
  }

  void add_change(ProfilerDevice& device, const ProfilerChange& change) {
    device.changes.push_back(static_cast<std::uint32_t>(memory_.changes.size()));
    memory_.changes.push_back(change);
  }

  /// Frees what lies where the event allocates: a thread without a profiler freed it.
  void free_below(ProfilerDevice& device, std::uint32_t number) {
    const ProfilerMemoryEvent& event = events_[number];
    LiveByAddress& live = device.live;
    auto at = live.lower_bound(event.address + event.size_bytes);
    while (at != live.begin()) {
      const auto before = std::prev(at);
      if (before->first + before->second.size_bytes <= event.address) break;
      add_change(device, {number, before->first, before->second.size_bytes, Action::free_completed, false});
      ++memory_.missing_frees;
      at = live.erase(before);
    }
  }

  /// Returns the segment of each range of addresses, by address.
  [[nodiscard]] std::vector<MadeUpSegment> segments_of(const ProfilerDevice& device) const {
    std::vector<MadeUpSegment> segments;
    for (const auto& [begin, end] : device.ranges.ends()) {
      const auto live = device.live.lower_bound(begin);
      segments.push_back({.begin = begin, .end = end, .is_free = live == device.live.end() || live->first >= end});
    }
    const auto segment_at = [&](std::uint64_t address) -> MadeUpSegment& {
      return *std::prev(std::ranges::upper_bound(segments, address, {}, &MadeUpSegment::begin));
    };
    for (const std::uint32_t change : device.changes)
      segment_at(memory_.changes[change].address).last_change = change;
    for (auto change = device.changes.rbegin(); change != device.changes.rend(); ++change)
      segment_at(memory_.changes[*change].address).first_change = *change;
    for (const std::uint64_t address : device.old_addresses)
      segment_at(address).is_older = true;
    return segments;
  }

  /// Marks free segments as returned, first those that were unused for longest, until all have at most `most_bytes`.
  static void return_segments(std::vector<MadeUpSegment>& segments, std::uint64_t most_bytes) {
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> free;
    for (std::uint32_t i = 0; i < segments.size(); ++i) {
      bytes += segments[i].size_bytes();
      if (segments[i].is_free) free.push_back(i);
    }
    std::ranges::sort(free, {}, [&](std::uint32_t i) { return segments[i].last_change; });
    for (const std::uint32_t i : free) {
      if (bytes <= most_bytes) return;
      segments[i].is_returned = true;
      bytes -= segments[i].size_bytes();
    }
  }

  void add_segments(DeviceId index, const ProfilerDevice& device) {
    std::vector<MadeUpSegment> segments = segments_of(device);
    std::uint64_t live_bytes = 0;
    for (const auto& [address, live] : device.live)
      live_bytes += live.size_bytes;
    const std::uint64_t unplaced = device.allocated_bytes > live_bytes ? device.allocated_bytes - live_bytes : 0;
    const std::uint64_t reserved = device.reserved_bytes.value_or(0);
    return_segments(segments, reserved > unplaced ? reserved - unplaced : 0);
    std::uint64_t placed = unplaced;
    for (const MadeUpSegment& segment : segments) {
      if (segment.is_returned) continue;
      add_segment(index, segment, device.live);
      placed += segment.size_bytes();
    }
    keep_lives(segments);
    const std::uint64_t unused = reserved > placed ? reserved - placed : 0;
    memory_.unplaced_bytes += unplaced;
    memory_.unused_bytes += unused;
    memory_.reserved_bytes += reserved;
    if (device.reserved_bytes && placed > reserved) memory_.excess_bytes += placed - reserved;
    if (unplaced + unused == 0 || segments.empty()) return;
    constexpr std::uint64_t kAlignment = (std::uint64_t{1} << 21U) - 1;
    const std::size_t first = memory_.blocks.size();
    if (unplaced > 0) memory_.blocks.push_back({unplaced, true, {}});
    memory_.segments.push_back(
        {index, (segments.back().end | kAlignment) + 1, unplaced + unused, first, memory_.blocks.size() - first});
  }

  /// Keeps the changes of a device's segments, if some were returned: otherwise nothing shows when they were made.
  void keep_lives(const std::vector<MadeUpSegment>& segments) {
    if (std::ranges::none_of(segments, &MadeUpSegment::is_returned)) return;
    memory_.has_returned = true;
    around_.resize(memory_.changes.size());
    for (const MadeUpSegment& segment : segments) {
      const auto change = [&](std::uint32_t next_to, Action action) {
        return ProfilerChange{memory_.changes[next_to].event, segment.begin, segment.size_bytes(), action, false};
      };
      if (!segment.is_older) around_[segment.first_change].before = change(segment.first_change, Action::segment_alloc);
      if (segment.is_returned) around_[segment.last_change].after = change(segment.last_change, Action::segment_free);
    }
  }

  void add_segment_changes() {
    std::vector<ProfilerChange> changes;
    for (std::size_t i = 0; i < around_.size(); ++i) {
      if (around_[i].before) changes.push_back(*around_[i].before);
      changes.push_back(memory_.changes[i]);
      if (around_[i].after) changes.push_back(*around_[i].after);
    }
    memory_.changes = std::move(changes);
  }

  void add_segment(DeviceId device, const MadeUpSegment& segment, const LiveByAddress& live) {
    const std::size_t first = memory_.blocks.size();
    std::uint64_t at = segment.begin;
    const auto add_gap = [&](std::uint64_t end) {
      if (end > at) memory_.blocks.push_back({end - at, false, {}});
    };
    for (auto one = live.lower_bound(segment.begin); one != live.end() && one->first < segment.end; ++one) {
      add_gap(one->first);
      memory_.blocks.push_back({one->second.size_bytes, true, one->second.event});
      at = one->first + one->second.size_bytes;
    }
    add_gap(segment.end);
    memory_.segments.push_back({device, segment.begin, segment.size_bytes(), first, memory_.blocks.size() - first});
  }

  const std::vector<ProfilerMemoryEvent>& events_;
  std::map<std::uint32_t, ProfilerDevice> devices_; // at most kMostDeviceIds
  std::vector<ChangesAround> around_;               ///< by change, if segments were returned
  ProfilerMemory memory_;
};

} // namespace

ProfilerMemory profiler_memory(const std::vector<ProfilerMemoryEvent>& events) {
  return MemoryMaker(events).make();
}

} // namespace memviz
