#include "analysis/explain/model_replay.hpp"

#include "analysis/explain/allocator_model.hpp"
#include "value/number_map.hpp"

#include <algorithm>

namespace memviz {

namespace {

/// Events before 2026 do not say their pool: that of the segment around their address at either end of the recording.
class PoolFinder {
public:
  explicit PoolFinder(const Recording& recording) {
    for (const Snapshot* state : {&recording.start, &recording.state})
      for (const Segment& segment : state->segments_of(recording.device))
        if (segment.pool.is_private())
          ranges_.push_back({segment.address, segment.address + segment.total_bytes, segment.pool});
    std::sort(ranges_.begin(), ranges_.end(),
              [](const Range& left, const Range& right) { return left.begin < right.begin; });
  }

  [[nodiscard]] PoolId pool_of(const Event& event) const {
    if (event.pool) return *event.pool;
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), event.address,
                         [](std::uint64_t address, const Range& range) { return address < range.begin; });
    if (after == ranges_.begin()) return {};
    const Range& range = *std::prev(after);
    return event.address < range.end ? range.pool : PoolId{};
  }

private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    PoolId pool;
  };
  std::vector<Range> ranges_;
};

class ModelReplay {
public:
  ModelReplay(const Recording& recording, const ReplayPlan& plan)
      : recording_(recording), plan_(plan), pools_(recording), model_(plan.settings, plan.limit_bytes) {}

  ReplayOutcome run(const std::optional<Request>& request) {
    bool has_room = start();
    for (std::size_t i = 0; has_room && i < recording_.event_count; ++i) {
      has_room = step(recording_.events[i]);
      if (!has_room) outcome_.failed_event = static_cast<std::int64_t>(i);
    }
    outcome_.reserved_bytes = model_.reserved_bytes();
    if (has_room && request)
      outcome_.request_fits = model_.alloc(request->bytes, stream(request->stream), pool(request->pool)).has_value();
    return outcome_;
  }

private:
  [[nodiscard]] std::int64_t stream(std::int64_t recorded) const { return plan_.only_stream.value_or(recorded); }
  [[nodiscard]] PoolId pool(const PoolId& recorded) const { return plan_.no_private_pools ? PoolId{} : recorded; }

  /// The state before the first event; false where it does not fit.
  bool start() {
    const Snapshot& snapshot = recording_.start;
    for (const Segment& segment : snapshot.segments_of(recording_.device)) {
      recorded_bytes_ += segment.total_bytes;
      const auto blocks = snapshot.blocks_of(segment);
      if (plan_.packed_start) {
        for (const Block& block : blocks)
          if (block.is_active() && !alloc(block.address, block.requested_bytes, segment.stream, segment.pool))
            return false;
        continue;
      }
      const auto handles =
          model_.adopt(segment, blocks, {pool(segment.pool), stream(segment.stream), is_small_segment(segment)});
      for (std::size_t i = 0; i < blocks.size(); ++i)
        if (blocks[i].is_active()) remember(blocks[i].address, handles[i]);
    }
    note_reserved();
    return true;
  }

  bool step(const Event& event) {
    const bool is_release = event.action == Action::segment_free || event.action == Action::segment_unmap;
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
      // One call of the allocator gives all of them back.
      if (!was_release_) model_.release_cached(pools_.pool_of(event).is_private());
      break;
    default: break;
    }
    was_release_ = is_release;
    return true;
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
    // Two lives at one address at once: an edited or incomplete trace.
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

  const Recording& recording_;
  const ReplayPlan& plan_;
  PoolFinder pools_;
  AllocatorModel model_;
  NumberMap live_; ///< recorded address -> handle
  std::uint64_t recorded_bytes_ = 0;
  bool was_release_ = false;
  ReplayOutcome outcome_;
};

} // namespace

ReplayOutcome replay_model(const Recording& recording, const ReplayPlan& plan, const std::optional<Request>& request) {
  return ModelReplay(recording, plan).run(request);
}

Fidelity check_model(const Recording& recording, const AllocatorSettings& settings) {
  ReplayPlan plan;
  plan.settings = settings;
  plan.keeps_places = true;
  return replay_model(recording, plan, std::nullopt).fidelity;
}

} // namespace memviz
