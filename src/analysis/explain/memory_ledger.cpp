#include "memviz/memory_ledger.hpp"

#include "analysis/explain/trial.hpp"
#include "analysis/tree/user_lines.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace memviz {

namespace {

/// A free run of a segment.
struct Hole {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// The stream with most live bytes, on which most of the program runs.
std::int64_t main_stream(const MemoryMap& state, DeviceId device) {
  std::map<std::int64_t, std::uint64_t> live;
  for (const Segment& segment : state.segments_of(device)) {
    if (segment.pool.is_private()) continue;
    std::uint64_t& bytes = live[segment.stream];
    for (const Block& block : state.blocks_of(segment))
      if (block.is_active()) bytes += block.size_bytes;
  }
  // On a tie, the default stream is chosen, which has the lowest number.
  const auto most =
      std::ranges::max_element(live, [](const auto& left, const auto& right) { return left.second < right.second; });
  return most == live.end() ? 0 : most->first;
}

/// Returns the blocks whose frees completed directly before the request failed.
std::vector<Hole> late_frees(const MemoryState& state, DeviceId device, const std::optional<Request>& request) {
  if (!request || request->event.is_none() || !state.recording) return {};
  const EventTable& events = state.recording->events_of(device);
  if (request->event.value() > events.size()) return {}; // `state` lets go of the events that it has replayed
  std::vector<Hole> late;
  for (auto i = static_cast<std::size_t>(request->event.value()); i > 0; --i) {
    const Action action = events.action(i - 1);
    if (action == Action::free_completed)
      late.push_back({events.address(i - 1), events[i - 1].size_bytes});
    else if (action != Action::segment_free && action != Action::segment_unmap)
      break;
  }
  return late;
}

class Classifier {
public:
  Classifier(const MemoryState& state, DeviceId device, const std::optional<Request>& request)
      : state_(state), request_(request), stream_(request ? request->stream : main_stream(state, device)),
        late_(late_frees(state, device, request)) {}

  void add_segment(const Segment& segment, MemoryLedger& ledger) const {
    ++ledger.segments;
    ledger.reserved_bytes += segment.total_bytes;
    ledger.unaccounted_bytes += segment.uncovered_bytes;
    Hole hole;
    for (const Block& block : state_.blocks_of(segment)) {
      if (block.state == BlockState::inactive) {
        if (hole.bytes == 0) hole.address = block.address;
        hole.bytes += block.size_bytes;
        continue;
      }
      add_hole(segment, hole, ledger);
      hole = {};
      if (block.state == BlockState::active_pending_free) {
        ledger.pending_bytes += block.size_bytes;
      } else {
        ledger.live_bytes += block.requested_bytes;
        ledger.rounding_bytes += block.rounding_bytes();
      }
    }
    add_hole(segment, hole, ledger);
  }

private:
  void add_hole(const Segment& segment, const Hole& hole, MemoryLedger& ledger) const {
    if (hole.bytes == 0) return;
    FreeRoom& room = ledger.room;
    ledger.largest_any_hole_bytes = std::max(ledger.largest_any_hole_bytes, hole.bytes);
    const bool is_own_pool = request_ ? segment.pool == request_->pool : !segment.pool.is_private();
    const bool is_own = is_own_pool && segment.stream == stream_;
    // Before it fails, PyTorch releases what it can from the default pools, whichever stream used it.
    const std::uint64_t begin = hole.address - segment.address;
    const bool can_go_back = !segment.pool.is_private() && (request_ || is_own);
    const std::uint64_t soft = can_go_back ? releasable_bytes(segment, begin, begin + hole.bytes) : 0;
    room.soft_bytes += soft;
    const std::uint64_t rest = hole.bytes - soft;
    if (!is_own_pool) {
      room.private_pool_bytes += rest;
    } else if (!is_own) {
      room.stream_bytes += rest;
    } else if (request_ && is_small_segment(segment) != request_->is_small()) {
      room.other_size_bytes += rest;
    } else {
      room.hard_bytes += rest;
      add_late(hole, ledger);
      ledger.largest_hole_bytes = std::max(ledger.largest_hole_bytes, hole.bytes);
    }
  }

  void add_late(const Hole& hole, MemoryLedger& ledger) const {
    if (!request_ || hole.bytes < request_->bytes) return;
    for (const Hole& late : late_)
      if (late.address >= hole.address && late.address - hole.address < hole.bytes)
        ledger.late_free_bytes += std::min(late.bytes, hole.bytes - (late.address - hole.address));
  }

  const MemoryState& state_;
  const std::optional<Request>& request_;
  std::int64_t stream_;
  std::vector<Hole> late_;
};

/// Forgets where free memory is. Rounding is known only of blocks that the file has: a replay rounds all others.
void forget_places(MemoryLedger& ledger, bool has_events) {
  std::uint64_t free_bytes = ledger.room.total_bytes();
  if (has_events) free_bytes += std::exchange(ledger.rounding_bytes, 0);
  ledger.room = {.unplaced_bytes = free_bytes};
  ledger.largest_hole_bytes = 0;
  ledger.largest_any_hole_bytes = 0;
}

} // namespace

Request request_of(const Event& event, EventIndex index) {
  Request request;
  request.event = index;
  request.bytes = event.size_bytes;
  request.stream = event.stream;
  request.pool = event.pool.value_or(PoolId{});
  request.pool_is_known = event.pool.has_value();
  request.stack = event.stack;
  request.forward_stack = event.forward_stack;
  request.compile_context = event.compile_context;
  request.user_metadata = event.user_metadata;
  request.time_us = event.time_us;
  // If the driver's call failed, the number is uninitialized memory.
  if (event.address <= kMaxTotalBytes) request.device_free_bytes = event.address;
  return request;
}

MemoryLedger memory_ledger(const MemoryState& state, DeviceId device, const std::optional<Request>& request,
                           const LedgerOptions& options) {
  MemoryLedger ledger;
  const Classifier classifier(state, device, request);
  for (const Segment& segment : state.segments_of(device))
    classifier.add_segment(segment, ledger);
  if (const DeviceState* const of_device = state.device_at(device)) {
    ledger.no_segment_bytes = of_device->figures.outside_bytes;
    if (of_device->are_segments_made_up) forget_places(ledger, of_device->figures.events > 0);
  }
  if (request) {
    ledger.device_free_bytes = request->device_free_bytes;
    ledger.needed_bytes =
        Trial(state, device, *request, options.settings ? *options.settings : allocator_settings(state)).needed_bytes();
  }
  ledger.capacity_bytes = options.capacity_bytes;
  if (ledger.capacity_bytes && ledger.device_free_bytes) {
    const std::uint64_t known = ledger.reserved_bytes + *ledger.device_free_bytes;
    if (known <= *ledger.capacity_bytes) ledger.outside_bytes = *ledger.capacity_bytes - known;
  }
  return ledger;
}

std::vector<LedgerPart> ledger_parts(const MemoryLedger& ledger) {
  const FreeRoom& room = ledger.room;
  std::vector<LedgerPart> parts{
      {"reserved by PyTorch", "reserved_bytes", ledger.reserved_bytes, false, false},
      {"requested", "live_bytes", ledger.live_bytes, true, false},
      {"rounding", "rounding_bytes", ledger.rounding_bytes, true, false},
      {"awaiting free", "pending_free_bytes", ledger.pending_bytes, true, true},
      {"free between blocks in use", "hard_bytes", room.hard_bytes, true, false},
      {"free, whole segments or pages", "soft_bytes", room.soft_bytes, true, false},
      {"free on other streams", "stream_bytes", room.stream_bytes, true, true},
      {"free in other pools", "private_pool_bytes", room.private_pool_bytes, true, true},
      {"free in the other size class", "other_size_bytes", room.other_size_bytes, true, true},
      {"free, in unknown pieces", "unplaced_bytes", room.unplaced_bytes, true, true},
      {"unaccounted", "unaccounted_bytes", ledger.unaccounted_bytes, true, true},
      {"in use outside all segments", "no_segment_bytes", ledger.no_segment_bytes, false, true},
  };
  if (ledger.device_free_bytes)
    parts.push_back({"free on the device", "device_free_bytes", *ledger.device_free_bytes, false, false});
  if (ledger.outside_bytes) parts.push_back({"outside PyTorch", "outside_bytes", *ledger.outside_bytes, false, false});
  if (ledger.capacity_bytes)
    parts.push_back({"capacity of the device", "capacity_bytes", *ledger.capacity_bytes, false, false});
  return parts;
}

} // namespace memviz
