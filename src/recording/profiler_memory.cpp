#include "recording/profiler_memory.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace memviz {
namespace {

struct LiveMemory {
  std::uint64_t size_bytes = 0;
  std::uint32_t event = 0;
};
using LiveByAddress = std::map<std::uint64_t, LiveMemory>; // balanced, whatever the addresses

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct ProfilerDevice {
  LiveByAddress live;
  std::vector<AddressRange> ranges; ///< of all memory events
  std::uint64_t allocated_bytes = 0;
  std::uint64_t reserved_bytes = 0;
};

/// Returns ranges that neither overlap nor touch, sorted.
std::vector<AddressRange> merged(std::vector<AddressRange> ranges) {
  std::ranges::sort(ranges, {}, [](const AddressRange& range) { return std::tuple(range.begin, range.end); });
  std::vector<AddressRange> found;
  for (const AddressRange& range : ranges)
    if (!found.empty() && range.begin <= found.back().end)
      found.back().end = std::max(found.back().end, range.end);
    else
      found.push_back(range);
  return found;
}

class MemoryMaker {
public:
  explicit MemoryMaker(const std::vector<ProfilerMemoryEvent>& events) : events_(events) {}

  [[nodiscard]] ProfilerMemory make() {
    for (std::uint32_t i = 0; i < events_.size(); ++i)
      add(i);
    for (auto& [index, device] : devices_)
      add_segments({index}, device);
    return std::move(memory_);
  }

private:
  void add(std::uint32_t number) {
    const ProfilerMemoryEvent& event = events_[number];
    ProfilerDevice& device = devices_[event.device.value];
    device.ranges.push_back({event.address, event.address + event.size_bytes});
    if (event.allocated_bytes) device.allocated_bytes = *event.allocated_bytes;
    if (event.reserved_bytes) device.reserved_bytes = *event.reserved_bytes;
    std::uint64_t size_bytes = event.size_bytes;
    if (event.is_free) {
      const auto found = device.live.find(event.address);
      if (found != device.live.end()) {
        size_bytes = found->second.size_bytes;
        device.live.erase(found);
      }
    } else {
      free_below(device.live, number);
      device.live[event.address] = {event.size_bytes, number};
    }
    memory_.changes.push_back({number, event.address, size_bytes, event.is_free});
  }

  /// Frees what lies where the event allocates: a thread without a profiler freed it.
  void free_below(LiveByAddress& live, std::uint32_t number) {
    const ProfilerMemoryEvent& event = events_[number];
    auto at = live.lower_bound(event.address + event.size_bytes);
    while (at != live.begin()) {
      const auto before = std::prev(at);
      if (before->first + before->second.size_bytes <= event.address) break;
      memory_.changes.push_back({number, before->first, before->second.size_bytes, true});
      ++memory_.missing_frees;
      at = live.erase(before);
    }
  }

  void add_segments(DeviceId index, const ProfilerDevice& device) {
    const std::vector<AddressRange> ranges = merged(device.ranges);
    std::uint64_t range_bytes = 0;
    std::uint64_t live_bytes = 0;
    for (const AddressRange& range : ranges) {
      live_bytes += add_segment(index, range, device.live);
      range_bytes += range.end - range.begin;
    }
    const std::uint64_t unplaced = device.allocated_bytes > live_bytes ? device.allocated_bytes - live_bytes : 0;
    const std::uint64_t placed = range_bytes + unplaced;
    const std::uint64_t unused = device.reserved_bytes > placed ? device.reserved_bytes - placed : 0;
    memory_.unplaced_bytes += unplaced;
    memory_.unused_bytes += unused;
    memory_.reserved_bytes += device.reserved_bytes;
    if (unplaced + unused == 0) return;
    constexpr std::uint64_t kAlignment = (std::uint64_t{1} << 21U) - 1;
    const std::size_t first = memory_.blocks.size();
    if (unplaced > 0) memory_.blocks.push_back({unplaced, true, {}});
    memory_.segments.push_back(
        {index, (ranges.back().end | kAlignment) + 1, unplaced + unused, first, memory_.blocks.size() - first});
  }

  /// Returns the bytes in use in the segment.
  std::uint64_t add_segment(DeviceId device, const AddressRange& range, const LiveByAddress& live) {
    const std::size_t first = memory_.blocks.size();
    std::uint64_t live_bytes = 0;
    std::uint64_t at = range.begin;
    const auto add_gap = [&](std::uint64_t end) {
      if (end > at) memory_.blocks.push_back({end - at, false, {}});
    };
    for (auto one = live.lower_bound(range.begin); one != live.end() && one->first < range.end; ++one) {
      add_gap(one->first);
      memory_.blocks.push_back({one->second.size_bytes, true, one->second.event});
      live_bytes += one->second.size_bytes;
      at = one->first + one->second.size_bytes;
    }
    add_gap(range.end);
    memory_.segments.push_back({device, range.begin, range.end - range.begin, first, memory_.blocks.size() - first});
    return live_bytes;
  }

  const std::vector<ProfilerMemoryEvent>& events_;
  std::map<std::uint32_t, ProfilerDevice> devices_; // at most kMostDeviceIds
  ProfilerMemory memory_;
};

} // namespace

ProfilerMemory profiler_memory(const std::vector<ProfilerMemoryEvent>& events) {
  return MemoryMaker(events).make();
}

} // namespace memviz
