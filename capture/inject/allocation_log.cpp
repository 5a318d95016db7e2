#include "allocation_log.hpp"

#include "symbols.hpp"

#include <algorithm>
#include <iterator>

namespace memviz::inject {

namespace {

// A node of std::map: three pointers and a colour before its value.
constexpr std::size_t kNodeBytes = 4 * sizeof(void*) + sizeof(std::uint64_t) + sizeof(Entry);
constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 20U; // the limit of PyTorch's small pool

bool overlaps(const Allocation& live, const Allocation& next) {
  return live.address < next.address + next.size && next.address < live.address + live.size;
}

void add_segment(const Entry& entry, capture::SnapshotData& snapshot) {
  const Allocation& allocation = entry.allocation;
  capture::SegmentData segment;
  segment.device = allocation.device;
  segment.address = allocation.address;
  segment.total_size = allocation.size;
  segment.stream = allocation.stream;
  segment.is_large = allocation.size > kLargeBytes;
  segment.pool = allocation.pool;
  segment.stack = entry.stack;
  segment.blocks.push_back(
      {allocation.address, allocation.size, allocation.requested_size, "active_allocated", entry.stack});
  snapshot.segments.push_back(std::move(segment));
}

void add_events(const Entry& entry, std::vector<capture::EventData>& trace) {
  const Allocation& allocation = entry.allocation;
  capture::EventData event;
  event.address = allocation.address;
  event.stream = allocation.stream;
  event.time_us = entry.time_us;
  event.pool = allocation.pool;
  event.stack = entry.stack;
  event.user_metadata = allocation.function;
  const auto add = [&](const char* action, std::uint64_t size) {
    event.action = action;
    event.size = size;
    trace.push_back(event);
  };
  switch (entry.kind) {
  case Entry::Kind::allocation:
    add("segment_alloc", allocation.size);
    add("alloc", allocation.requested_size);
    break;
  case Entry::Kind::free:
    add("free_requested", allocation.requested_size);
    add("free_completed", allocation.requested_size);
    add("segment_free", allocation.size);
    break;
  case Entry::Kind::failure: add("oom", allocation.requested_size); break;
  }
}

} // namespace

void AllocationLog::allocated(const Allocation& allocation, const Place& place) {
  const std::lock_guard lock(mutex_);
  auto position = live_.lower_bound(allocation.address);
  if (position != live_.begin() && overlaps(std::prev(position)->second.allocation, allocation)) --position;
  while (position != live_.end() && overlaps(position->second.allocation, allocation)) {
    position = free_live(position, {{}, place.time_us});
  }
  const Entry entry{Entry::Kind::allocation, allocation, place.time_us, stack_of(place)};
  live_.insert_or_assign(allocation.address, entry);
  append(entry);
}

std::optional<Allocation> AllocationLog::freed(std::uint64_t address, const Place& place) {
  const std::lock_guard lock(mutex_);
  const auto position = live_.find(address);
  if (position == live_.end()) return std::nullopt;
  const Allocation allocation = position->second.allocation;
  free_live(position, place);
  return allocation;
}

void AllocationLog::range_freed(std::uint64_t address, std::uint64_t size, const Place& place) {
  const std::lock_guard lock(mutex_);
  auto position = live_.lower_bound(address);
  while (position != live_.end() && position->first - address < size)
    position = free_live(position, place);
}

bool AllocationLog::has_memory_of(std::uint64_t context) const {
  const std::lock_guard lock(mutex_);
  return context != 0 && std::any_of(live_.begin(), live_.end(),
                                     [&](const auto& live) { return live.second.allocation.context == context; });
}

void AllocationLog::context_destroyed(std::uint64_t context, const Place& place) {
  const std::lock_guard lock(mutex_);
  for (auto position = live_.begin(); position != live_.end();) {
    if (context == 0 || position->second.allocation.context != context) {
      ++position;
      continue;
    }
    position->second.allocation.function = "context destroyed";
    position = free_live(position, place);
  }
}

void AllocationLog::failed(const Allocation& wanted, std::uint64_t device_free, const Place& place) {
  const std::lock_guard lock(mutex_);
  Entry entry{Entry::Kind::failure, wanted, place.time_us, stack_of(place)};
  entry.allocation.address = device_free;
  append(entry);
}

AllocationLog::Live::iterator AllocationLog::free_live(Live::iterator position, const Place& place) {
  append({Entry::Kind::free, position->second.allocation, place.time_us, stack_of(place)});
  return live_.erase(position);
}

void AllocationLog::append(Entry entry) {
  history_.push_back(entry);
  while (!history_.empty() && (history_.size() > limits_.max_entries || bytes_locked() > limits_.max_bytes)) {
    history_.pop_front();
    ++dropped_entries_;
  }
}

// Stacks are never released, because live memory may need them. Half of the memory is for stacks, the rest for the
// history.
capture::StackIndex AllocationLog::stack_of(const Place& place) {
  if (place.stack.empty()) return capture::kNoStack;
  if (stacks_.bytes() > limits_.max_bytes / 2) {
    ++dropped_stacks_;
    return capture::kNoStack;
  }
  return stacks_.add(place.stack);
}

std::size_t AllocationLog::bytes_locked() const {
  return history_.size() * sizeof(Entry) + live_.size() * kNodeBytes + stacks_.bytes();
}

std::size_t AllocationLog::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_locked();
}

LogCopy AllocationLog::copy() const {
  LogCopy copy;
  const std::lock_guard lock(mutex_);
  copy.live.reserve(live_.size());
  std::transform(live_.begin(), live_.end(), std::back_inserter(copy.live),
                 [](const auto& live) { return live.second; });
  copy.history.assign(history_.begin(), history_.end());
  copy.stacks = stacks_;
  copy.limits = limits_;
  copy.dropped_entries = dropped_entries_;
  copy.dropped_stacks = dropped_stacks_;
  return copy;
}

capture::SnapshotData make_snapshot(const LogCopy& log) {
  capture::SnapshotData snapshot;
  add_stacks(log.stacks, snapshot);
  const auto trace_of = [&](int device) -> std::vector<capture::EventData>& {
    const auto index = static_cast<std::size_t>(device);
    if (snapshot.traces.size() <= index) snapshot.traces.resize(index + 1);
    return snapshot.traces[index];
  };
  // Devices one after the other, in each the segments by address: PyTorch's order.
  for (const Entry& entry : log.live)
    add_segment(entry, snapshot);
  std::stable_sort(snapshot.segments.begin(), snapshot.segments.end(),
                   [](const auto& left, const auto& right) { return left.device < right.device; });
  for (const capture::SegmentData& segment : snapshot.segments)
    trace_of(segment.device);
  for (const Entry& entry : log.history)
    add_events(entry, trace_of(entry.allocation.device));
  const auto as_setting = [](std::uint64_t number) { return static_cast<std::int64_t>(number); };
  snapshot.settings = {
      {"writer", std::string("memviz_inject")},
      {"trace_alloc_overflowed", log.dropped_entries > 0},
      {"trace_alloc_max_entries", as_setting(log.limits.max_entries)},
      {"dropped_calls", as_setting(log.dropped_entries)},
      {"dropped_stacks", as_setting(log.dropped_stacks)},
  };
  return snapshot;
}

} // namespace memviz::inject
