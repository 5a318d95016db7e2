#include "recording/trace_end.hpp"

#include "memviz/format.hpp"
#include "value/field.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <limits>

namespace memviz {

namespace {

/// PyTorch's allocator rounds every request up to this many bytes (kMinBlockSize).
constexpr std::uint64_t kRoundBytes = 512;

std::uint64_t rounded(std::uint64_t bytes) {
  return (std::max<std::uint64_t>(bytes, 1) + kRoundBytes - 1) / kRoundBytes * kRoundBytes;
}

/// Requests of at most this many bytes are in segments of their own (kSmallSize).
constexpr std::uint64_t kSmallBytes = std::uint64_t{1} << 20U;

/// Returns the bytes of a block for a request, of those up to the next block. PyTorch splits a block for a large
/// request only if more than kSmallBytes are left: no free block of the large pool is smaller.
std::uint64_t block_bytes(std::uint64_t requested, std::uint64_t room) {
  const std::uint64_t bytes = std::min(rounded(requested), room);
  const bool keeps_rest = bytes > kSmallBytes && room - bytes <= kSmallBytes;
  return keeps_rest ? room : bytes;
}

/// Whether a range is one that a GPU could have.
bool is_possible(const Event& event) {
  return event.size_bytes <= kMaxTotalBytes &&
         event.size_bytes <= std::numeric_limits<std::uint64_t>::max() - kRoundBytes - event.address;
}

} // namespace

void TraceEnd::take(DeviceId device, std::span<const Event> events) {
  Device& own = devices_[device];
  for (const Event& event : events)
    if (is_possible(event)) take(own, event);
  next_.take(device, events);
}

void TraceEnd::restart() {
  devices_.clear();
  next_.restart();
}

void TraceEnd::take(Device& device, const Event& event) {
  const std::uint64_t end = event.address + event.size_bytes;
  switch (event.action) {
  case Action::segment_alloc:
  case Action::segment_map:
    remove(device, event.address, end);
    if (event.size_bytes > 0)
      device.ranges[event.address] = {event.size_bytes, event.action == Action::segment_map, event};
    break;
  case Action::segment_free:
  case Action::segment_unmap: remove(device, event.address, end); break;
  case Action::alloc: device.live[event.address] = {event}; break;
  case Action::free_completed: device.live.erase(event.address); break;
  case Action::free_requested:
    if (const auto found = device.live.find(event.address); found != device.live.end()) found->second.is_pending = true;
    break;
  default: break;
  }
}

/// Removes the bytes from `begin` to `end` from all ranges; at most two parts of ranges are left over.
void TraceEnd::remove(Device& device, std::uint64_t begin, std::uint64_t end) {
  auto& ranges = device.ranges;
  auto at = ranges.upper_bound(begin);
  if (at != ranges.begin()) --at;
  while (at != ranges.end() && at->first < end) {
    const std::uint64_t range_begin = at->first;
    const std::uint64_t range_end = range_begin + at->second.size_bytes;
    if (range_end <= begin) {
      ++at;
      continue;
    }
    const Range range = at->second;
    at = ranges.erase(at);
    if (range_begin < begin) ranges[range_begin] = {begin - range_begin, range.is_expandable, range.made_by};
    if (range_end > end)
      at = ranges.insert_or_assign(end, Range{range_end - end, range.is_expandable, range.made_by}).first;
  }
}

/// Ranges and live allocations -> segments.
class TraceEnd::Builder {
public:
  explicit Builder(Recording& recording) : recording_(recording) {}

  void add(DeviceId id, const Device& device) {
    auto live = device.live.begin();
    for (auto range = device.ranges.begin(); range != device.ranges.end();) {
      auto after = std::next(range);
      std::uint64_t end = range->first + range->second.size_bytes;
      // Memory that was mapped step by step is one segment.
      while (after != device.ranges.end() && range->second.is_expandable && after->second.is_expandable &&
             after->first == end) {
        end += after->second.size_bytes;
        ++after;
      }
      add_unknown(id, device, live, range->first);
      add_segment(id, device, live, *range, end);
      range = after;
    }
    add_unknown(id, device, live, std::numeric_limits<std::uint64_t>::max());
  }

  [[nodiscard]] std::size_t made_up() const { return made_up_; }

private:
  using LiveIterator = std::map<std::uint64_t, Live>::const_iterator;

  /// Adds a segment for each allocation below `limit`, whose own segment no event shows.
  void add_unknown(DeviceId id, const Device& device, LiveIterator& live, std::uint64_t limit) {
    while (live != device.live.end() && live->first < limit) {
      const auto next = std::next(live);
      const std::uint64_t end = next == device.live.end() ? limit : std::min(limit, next->first);
      const std::uint64_t bytes = std::min(rounded(live->second.made_by.size_bytes), end - live->first);
      start(id, {live->first, {bytes, false, live->second.made_by}}, live->first + bytes);
      add_block(live->first, bytes, &live->second);
      ++made_up_;
      live = next;
    }
  }

  void add_segment(DeviceId id, const Device& device, LiveIterator& live,
                   const std::pair<const std::uint64_t, Range>& range, std::uint64_t end) {
    start(id, range, end);
    std::uint64_t at = range.first;
    for (; live != device.live.end() && live->first < end; ++live) {
      if (live->first > at) add_block(at, live->first - at, nullptr);
      const auto next = std::next(live);
      const std::uint64_t limit = next == device.live.end() ? end : std::min(end, next->first);
      const std::uint64_t bytes = block_bytes(live->second.made_by.size_bytes, limit - live->first);
      add_block(live->first, bytes, &live->second);
      at = live->first + bytes;
    }
    if (at < end) add_block(at, end - at, nullptr);
  }

  void start(DeviceId id, const std::pair<const std::uint64_t, Range>& range, std::uint64_t end) {
    const Event& made_by = range.second.made_by;
    Segment segment;
    segment.device = id;
    segment.address = range.first;
    segment.total_bytes = end - range.first;
    segment.stream = made_by.stream;
    segment.pool = made_by.pool.value_or(PoolId{});
    segment.is_expandable = range.second.is_expandable;
    segment.stack = made_by.stack;
    segment.first_block = static_cast<std::uint32_t>(recording_.end.blocks.size());
    total_bytes_ += segment.total_bytes;
    if (total_bytes_ > kMaxTotalBytes || recording_.end.blocks.size() >= std::numeric_limits<std::uint32_t>::max() / 2)
      throw SchemaError("expected segments of at most 1 EiB together in the events of 'device_traces', found more",
                        Value());
    recording_.end.segments.push_back(segment);
  }

  void add_block(std::uint64_t address, std::uint64_t bytes, const Live* live) {
    Block block;
    block.address = address;
    block.size_bytes = bytes;
    if (live != nullptr) {
      block.requested_bytes = std::min(live->made_by.size_bytes, bytes);
      block.state = live->is_pending ? BlockState::active_pending_free : BlockState::active_allocated;
      block.stack = live->made_by.stack;
    }
    recording_.end.blocks.push_back(block);
    ++recording_.end.segments.back().block_count;
  }

  Recording& recording_;
  std::uint64_t total_bytes_ = 0;
  std::size_t made_up_ = 0;
};

void TraceEnd::add_to(Recording& recording) const {
  Builder builder(recording);
  for (const auto& [id, device] : devices_)
    builder.add(id, device);
  recording.warnings.emplace_back(
      "the file has events and no segments: those at the end are computed from the events, so memory from before the "
      "first event that was not freed is missing");
  if (builder.made_up() > 0)
    recording.warnings.push_back(
        fmt::format("{} at the end {} in segments from before the first event: each is shown as a segment alone",
                    format_counted(builder.made_up(), "block"), builder.made_up() == 1 ? "is" : "are"));
}

} // namespace memviz
