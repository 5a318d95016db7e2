#include "analysis/explain/model_replay.hpp"

#include "analysis/explain/allocator_model.hpp"
#include "analysis/explain/cache_release.hpp"
#include "base/number_map.hpp"

#include <algorithm>

namespace memviz {

namespace {

class ModelReplay {
public:
  ModelReplay(const LeadUp& lead_up, const ReplayPlan& plan)
      : lead_up_(lead_up), plan_(plan), pools_(lead_up), model_(plan.settings, plan.limit_bytes) {}

  ReplayOutcome run(const std::optional<Request>& request) {
    bool has_room = start();
    for (std::size_t i = 0; has_room && i < lead_up_.event_count; ++i) {
      has_room = step(i);
      if (!has_room) outcome_.failed_event = EventIndex(i);
    }
    outcome_.reserved_bytes = model_.reserved_bytes();
    if (!has_room || !request) return outcome_;
    for (const std::uint64_t address : plan_.freed_addresses)
      forget(address);
    const auto placed = model_.alloc(request->bytes, stream(request->stream), pool(request->pool));
    outcome_.request_fits = placed.has_value();
    if (placed && !plan_.rest.empty()) {
      remember(plan_.rest.front().address, *placed);
      outcome_.rest_fits = go_on();
    }
    return outcome_;
  }

private:
  /// Replays what follows the request; returns whether it fits.
  bool go_on() {
    for (const RestEvent& rest : plan_.rest.subspan(1)) {
      const Event event = lead_up_.events[rest.index];
      if (event.action == Action::free_completed)
        forget(rest.address);
      else if (!alloc(rest.address, event.size_bytes, event.stream, pools_.pool_of(event)))
        return false;
    }
    return true;
  }

  [[nodiscard]] std::int64_t stream(std::int64_t recorded) const { return plan_.only_stream.value_or(recorded); }
  [[nodiscard]] PoolId pool(const PoolId& recorded) const { return plan_.no_private_pools ? PoolId{} : recorded; }

  /// Builds the state before the first event; returns false if it does not fit.
  bool start() {
    const MemoryMap& memory = lead_up_.start;
    for (const Segment& segment : memory.segments_of(lead_up_.device)) {
      recorded_bytes_ += segment.total_bytes;
      const auto blocks = memory.blocks_of(segment);
      if (plan_.start == Start::packed) {
        for (const Block& block : blocks)
          if (block.is_active() && !alloc(block.address, block.requested_bytes, segment.stream, segment.pool))
            return false;
        continue;
      }
      const bool is_changed = plan_.start == Start::changed;
      const PoolKey key{is_changed ? pool(segment.pool) : segment.pool,
                        is_changed ? stream(segment.stream) : segment.stream, is_small_segment(segment)};
      const auto handles = model_.adopt(segment, blocks, key);
      for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i].is_active()) remember(blocks[i].address, handles[i]);
    }
    note_reserved();
    return true;
  }

  bool step(std::size_t index) {
    const Event event = lead_up_.events[index];
    const bool is_release = releases_memory(event.action);
    switch (event.action) {
    case Action::alloc: return step_alloc(event);
    case Action::free_requested:
      if (plan_.only_stream) forget(event.address); // no other stream can be using it
      break;
    case Action::free_completed: forget(event.address); break;
    case Action::segment_alloc:
    case Action::segment_map:
      recorded_bytes_ += event.size_bytes;
      if (plan_.keeps_places) model_.place_next_segment(event.address);
      break;
    case Action::segment_free:
    case Action::segment_unmap:
      recorded_bytes_ -= std::min(recorded_bytes_, event.size_bytes);
      release(event, index);
      break;
    default: break;
    }
    was_release_ = is_release;
    return true;
  }

  void release(const Event& event, std::size_t index) {
    if (plan_.keeps_places && event.action == Action::segment_free &&
        model_.release_segment(event.address, event.size_bytes, pools_.pool_of(event), event.stream))
      return;
    // One call of the allocator releases all of them.
    if (was_release_ || (plan_.leaves_releases && is_own_release(index))) return;
    release_as_called(index);
  }

  bool is_own_release(std::size_t index) {
    const ReleaseCause found = release_cause(lead_up_, index);
    outcome_.has_unknown_release |= found == ReleaseCause::unknown;
    return found == ReleaseCause::allocator;
  }

  /// empty_cache(), or the end of a MemPool, which releases the pool's memory.
  void release_as_called(std::size_t index) {
    std::vector<PoolId> released;
    for (; index < lead_up_.event_count && releases_memory(lead_up_.events.action(index)); ++index) {
      const PoolId pool = pools_.pool_of(lead_up_.events[index]);
      if (released.empty() || released.back() != pool) released.push_back(pool);
    }
    const bool is_end_of_pool = released.size() == 1 && released.front().is_private();
    outcome_.has_unknown_release |=
        plan_.no_private_pools && is_end_of_pool; // it would have been empty_cache() or nothing
    for (const PoolId& pool : released)
      if (pool.is_private()) model_.give_up(pool);
    model_.release_cached();
  }

  bool step_alloc(const Event& event) {
    was_release_ = false;
    if (!alloc(event.address, event.size_bytes, event.stream, pools_.pool_of(event))) return false;
    ++outcome_.fidelity.allocs;
    if (model_.address(static_cast<AllocatorModel::Handle>(*live_.find(event.address))) == event.address)
      ++outcome_.fidelity.same_places;
    note_reserved();
    return true;
  }

  bool alloc(std::uint64_t address, std::uint64_t bytes, std::int64_t on_stream, const PoolId& in_pool) {
    const auto handle = model_.alloc(bytes, stream(on_stream), pool(in_pool));
    if (handle) remember(address, *handle);
    return handle.has_value();
  }

  void remember(std::uint64_t address, AllocatorModel::Handle handle) {
    // Two lives at one address at the same time: the trace is edited or incomplete.
    if (const auto previous = live_.insert(address, handle))
      model_.free(static_cast<AllocatorModel::Handle>(*previous));
  }

  void forget(std::uint64_t address) {
    if (const auto handle = live_.remove(address)) model_.free(static_cast<AllocatorModel::Handle>(*handle));
  }

  void note_reserved() {
    Fidelity& fidelity = outcome_.fidelity;
    const std::uint64_t modelled = model_.reserved_bytes();
    fidelity.largest_reserved_bytes = std::max(fidelity.largest_reserved_bytes, recorded_bytes_);
    fidelity.largest_error_bytes =
        std::max(fidelity.largest_error_bytes,
                 modelled > recorded_bytes_ ? modelled - recorded_bytes_ : recorded_bytes_ - modelled);
  }

  const LeadUp& lead_up_;
  const ReplayPlan& plan_;
  PoolFinder pools_;
  AllocatorModel model_;
  NumberMap live_; ///< recorded address -> handle
  std::uint64_t recorded_bytes_ = 0;
  bool was_release_ = false;
  ReplayOutcome outcome_;
};

Fidelity check_order(const LeadUp& lead_up, const AllocatorSettings& settings, FreeBlockOrder order) {
  ReplayPlan plan;
  plan.settings = settings;
  plan.settings.free_block_order = order;
  plan.keeps_places = true;
  Fidelity fidelity = replay_model(lead_up, plan, std::nullopt).fidelity;
  fidelity.free_block_order = order;
  return fidelity;
}

} // namespace

ReplayOutcome replay_model(const LeadUp& lead_up, const ReplayPlan& plan, const std::optional<Request>& request) {
  return ModelReplay(lead_up, plan).run(request);
}

Fidelity check_model(const LeadUp& lead_up, const AllocatorSettings& settings) {
  const Fidelity by_address = check_order(lead_up, settings, FreeBlockOrder::address);
  const Fidelity by_age = check_order(lead_up, settings, FreeBlockOrder::segment_age);
  const auto misses = [](const Fidelity& fidelity) {
    return std::pair(fidelity.largest_error_bytes, fidelity.allocs - fidelity.same_places);
  };
  Fidelity best = misses(by_age) < misses(by_address) ? by_age : by_address;
  if (misses(by_age) == misses(by_address)) best.free_block_order.reset();
  best.settings_not_modelled = settings.not_modelled;
  return best;
}

} // namespace memviz
