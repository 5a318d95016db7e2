#include "memviz/replay.hpp"

#include "analysis/replay/device_accounts.hpp"
#include "analysis/replay/segment_totals.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"
#include "memviz/lost_history.hpp"

#include <fmt/format.h>
#include <utility>

namespace memviz {

namespace {

[[noreturn]] void fail_sum(DeviceId device) {
  throw Error(
      fmt::format("the events of device {} add up to more than 1 EiB: the file is damaged", device_word(device)));
}

void add(std::uint64_t& sum, std::uint64_t bytes, DeviceId device) {
  if (__builtin_add_overflow(sum, bytes, &sum) || sum > kMaxTotalBytes) fail_sum(device);
}

/// Widens the range of times; events of several threads may be out of order.
void include_time(std::optional<std::int64_t>& first, std::optional<std::int64_t>& last,
                  const std::optional<std::int64_t>& time) {
  if (!time) return;
  if (!first || *time < *first) first = time;
  if (!last || *time > *last) last = time;
}

/// Blocks active at the end that no recorded alloc explains were live before the first event.
void mark_explained(const Segment& segment, const NumberMap& live, Unexplained& unexplained, MemoryState& state) {
  for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
    const Block& block = state.blocks[i];
    if (!block.is_active()) continue;
    if (const auto birth = live.find(block.address)) {
      state.facts[i].history.alloc_event = Birth::unpacked(*birth).event;
      continue;
    }
    ++unexplained.blocks;
    unexplained.bytes += block.requested_bytes;
    if (state.frames().stack(block.stack).empty()) continue;
    ++unexplained.with_stack;
    unexplained.with_stack_bytes += block.requested_bytes;
  }
}

/// Files before 2026 do not record whether the ring was full: then missing allocations are the only sign.
bool may_have_lost_events(RingState ring, const DeviceFigures& accounts) {
  switch (ring) {
  case RingState::full: return true;
  case RingState::not_full: return false;
  case RingState::unknown: break;
  }
  return accounts.unmatched_frees > 0 || accounts.unexplained_with_stack > 0;
}

} // namespace

void Accounts::DeviceAccounts::replay(const Event& event) {
  include_time(counts.first_time_us, counts.last_time_us, event.time_us);
  counts.actions |= 1U << static_cast<unsigned>(event.action);
  switch (event.action) {
  case Action::alloc:
    ++counts.allocs;
    if (event.stack == kNoFrames) ++counts.allocs_without_stack;
    add(counts.alloc_bytes, event.size_bytes, device);
    log.allocated(event, live.insert(event.address, Birth{EventIndex(counts.events), event.stack}.packed()));
    live_bytes += static_cast<std::int64_t>(event.size_bytes);
    if (observer != nullptr) observer->allocated(device, {EventIndex(counts.events), event.stack}, event);
    break;
  case Action::free_requested:
    if (log.is_on()) log.free_requested(event, counts.events);
    break;
  case Action::free_completed: {
    add(counts.free_bytes, event.size_bytes, device);
    const auto birth = live.remove(event.address);
    if (!birth) {
      ++counts.unmatched_frees;
      add(counts.unmatched_free_bytes, event.size_bytes, device);
    }
    if (log.is_on()) log.freed(event, counts.events, birth);
    if (observer != nullptr) {
      const Birth born = birth ? Birth::unpacked(*birth) : Birth{};
      observer->freed(device, {born.event, born.stack}, event.size_bytes);
    }
    live_bytes -= static_cast<std::int64_t>(event.size_bytes);
    break;
  }
  case Action::segment_alloc:
  case Action::segment_free:
  case Action::segment_map:
  case Action::segment_unmap:
    if (log.is_on()) log.segment_changed(event);
    break;
  case Action::oom:
    ++counts.ooms;
    last_oom_event = EventIndex(counts.events);
    allocs_before_oom = counts.allocs;
    if (observer != nullptr) observer->failed(device, last_oom_event);
    break;
  case Action::annotate:
    if (observer != nullptr) observer->annotated(device, event.user_metadata);
    break;
  default: break;
  }
  trailing_snapshots = event.action == Action::snapshot ? trailing_snapshots + 1 : 0;
  const bool is_new_peak = live_bytes > peak_bytes;
  if (is_new_peak) {
    peak_bytes = live_bytes;
    peak_event = EventIndex(counts.events);
  }
  log.passed(event, counts.events, is_new_peak, live_bytes);
  ++counts.events;
}

DeviceFigures Accounts::DeviceAccounts::settled(const MemoryTotals& at_end, const Unexplained& unexplained,
                                                RingState ring) const {
  DeviceFigures settled{at_end, counts};
  settled.unexplained_blocks = unexplained.blocks;
  settled.unexplained_with_stack = unexplained.with_stack;
  settled.unexplained_with_stack_bytes = unexplained.with_stack_bytes;
  settled.may_have_lost_events = may_have_lost_events(ring, settled);
  settled.end_reserved_bytes = at_end.reserved_bytes;
  settled.baseline_bytes = counts.unmatched_free_bytes;
  add(settled.baseline_bytes, unexplained.bytes, device);
  settled.peak_requested_bytes = settled.baseline_bytes;
  add(settled.peak_requested_bytes, static_cast<std::uint64_t>(peak_bytes), device);
  // Below 0 only if frees name more bytes than their allocs did.
  const std::int64_t end_bytes = static_cast<std::int64_t>(settled.baseline_bytes) + live_bytes;
  settled.end_requested_bytes = end_bytes < 0 ? 0 : static_cast<std::uint64_t>(end_bytes);
  settled.end_block_bytes = at_end.requested_bytes;
  settled.imbalance_bytes = end_bytes - static_cast<std::int64_t>(at_end.requested_bytes);
  return settled;
}

Moment Accounts::DeviceAccounts::moment(const MomentChoice& choice) const {
  if (log.is_set()) return {log.kind(), log.moment(), log.time_us(), choice.annotation, log.asked_bytes()};
  return {MomentKind::end, EventIndex::last_of(counts.events), last_event_time_us, {}};
}

Accounts::Accounts(MomentChoice choice, LifeObserver* observer) : choice_(std::move(choice)), observer_(observer) {
}
Accounts::~Accounts() = default;

void Accounts::begin(const FrameTable& frames) {
  if (observer_ != nullptr) observer_->begin(frames);
}

void Accounts::take(DeviceId device, std::span<const Event> events) {
  if (events.empty() || !failure_.empty()) return;
  std::unique_ptr<DeviceAccounts>& of_device = devices_.make(device);
  if (!of_device) of_device = std::make_unique<DeviceAccounts>(choice_, device, observer_);
  DeviceAccounts& accounts = *of_device;
  const std::uint64_t first_index = accounts.counts.events;
  try {
    for (const Event& event : events)
      accounts.replay(event);
  } catch (const Error& error) {
    failure_ = error.what();
    return;
  }
  accounts.last_event_time_us = events.back().time_us;
  accounts.log.keep_around(events, first_index);
}

const Accounts::DeviceAccounts* Accounts::accounts_of(DeviceId device) const {
  const auto* const found = devices_.find(device);
  return found == nullptr ? nullptr : found->get();
}

void Accounts::restart() {
  devices_.clear();
  failure_.clear();
}

MemoryState Accounts::state_at_end(std::shared_ptr<const Recording> recording) const {
  MemoryState state{recording->end, std::move(recording), {}, {}};
  state.facts.resize(state.blocks.size());
  for (const DeviceId device : state.recording->devices()) {
    const DeviceAccounts no_events({}, device);
    const DeviceAccounts* const found = accounts_of(device);
    const DeviceAccounts& accounts = found == nullptr ? no_events : *found;
    Unexplained unexplained;
    for (const Segment& segment : state.segments_of(device))
      mark_explained(segment, accounts.live, unexplained, state);
    const MemoryTotals totals = totals_of(state, device);
    const RingState ring = ring_state(*state.recording, accounts.counts);
    DeviceState& at_end = state.devices.emplace_back();
    at_end.device = device;
    at_end.device_kind = state.recording->origin.kind_of(device);
    at_end.are_segments_made_up = state.recording->origin.are_segments_made_up;
    at_end.moment.event = EventIndex::last_of(accounts.counts.events);
    at_end.moment.time_us = accounts.last_event_time_us;
    at_end.figures = accounts.settled(totals, unexplained, ring);
    at_end.peak_event = accounts.peak_event;
    at_end.last_oom_event = accounts.last_oom_event;
    if (!accounts.last_oom_event.is_none())
      at_end.allocs_after_oom = accounts.counts.allocs - accounts.allocs_before_oom;
    at_end.trailing_snapshots = accounts.trailing_snapshots;
    at_end.around = accounts.log.around_end();
  }
  if (observer_ != nullptr) observer_->ended(state);
  return state;
}

MemoryState Accounts::state_of(std::shared_ptr<const Recording> recording) const {
  if (!failure_.empty()) throw Error(failure_);
  const MemoryState at_end = state_at_end(std::move(recording));
  return choice_.kind == MomentKind::end ? at_end : rewound(at_end);
}

std::pair<MemoryState, MemoryState> Accounts::end_and_state_of(std::shared_ptr<const Recording> recording) const {
  if (!failure_.empty()) throw Error(failure_);
  MemoryState at_end = state_at_end(std::move(recording));
  MemoryState at_moment = rewound(at_end);
  return {std::move(at_end), std::move(at_moment)};
}

MemoryState Accounts::state_of(Recording recording) const {
  return state_of(std::make_shared<const Recording>(std::move(recording)));
}

MemoryState rewind(std::shared_ptr<const Recording> recording, const MomentChoice& choice, LifeObserver* observer) {
  Accounts accounts(choice, observer);
  take_events(*recording, accounts);
  return accounts.state_of(std::move(recording));
}

MemoryState before_first_event(std::shared_ptr<const Recording> recording) {
  MomentChoice choice;
  choice.kind = MomentKind::event; // none: before the first one
  return rewind(std::move(recording), choice);
}

MemoryState rewind(Recording recording, const MomentChoice& choice) {
  return rewind(std::make_shared<const Recording>(std::move(recording)), choice);
}

MemoryState replay(std::shared_ptr<const Recording> recording) {
  return rewind(std::move(recording), {});
}

MemoryState replay(Recording recording) {
  return rewind(std::move(recording), {});
}

} // namespace memviz
