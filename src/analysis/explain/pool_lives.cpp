#include "analysis/explain/pool_lives.hpp"

#include <algorithm>
#include <iterator>

namespace memviz {

namespace {

class PoolLives {
public:
  PoolLives(const LeadUp& lead_up, const AllocatorSettings& settings)
      : events_(lead_up.events), count_(lead_up.event_count), pools_(lead_up),
        tells_releases_(settings.max_split_bytes == kNoSplitLimit && !settings.collects_garbage) {
    for (const Segment& segment : lead_up.start.segments_of(lead_up.device)) {
      if (!segment.pool.is_private()) continue;
      const auto blocks = lead_up.start.blocks_of(segment);
      const auto in_use =
          std::count_if(blocks.begin(), blocks.end(), [](const Block& block) { return block.is_active(); });
      lives_[segment.pool];
      if (!segment.is_expandable)
        add(segment.address, segment.total_bytes, segment.pool, static_cast<std::size_t>(in_use));
    }
  }

  std::map<PoolId, std::size_t> until(Release at_failure) {
    for (now_ = 0; now_ < count_; ++now_)
      see(events_[now_]);
    std::map<PoolId, std::size_t> result;
    for (auto& [pool, life] : lives_) {
      note_release(life);
      const bool kept_memory = at_failure == Release::done && life.free_segments > 0;
      result[pool] = kept_memory ? count_ : life.in_use_until;
    }
    return result;
  }

private:
  struct Life {
    std::size_t in_use_until = 0;
    std::size_t free_segments = 0;
    std::size_t free_since = 0; ///< the event since which it has had one
  };
  struct PrivateSegment {
    std::uint64_t bytes = 0;
    PoolId pool;
    std::size_t blocks_in_use = 0;
  };
  using Segments = std::map<std::uint64_t, PrivateSegment>; ///< by address

  void see(const Event& event) {
    const PoolId pool = pools_.pool_of(event);
    switch (event.action) {
    case Action::segment_alloc:
      if (pool.is_private()) add(event.address, event.size_bytes, pool, 0);
      break;
    case Action::segment_free: remove(segments_.find(event.address)); break;
    case Action::alloc:
      if (pool.is_private()) lives_[pool].in_use_until = now_ + 1;
      if (const auto segment = segment_of(event.address); segment != segments_.end())
        if (segment->second.blocks_in_use++ == 0) end_free(lives_[segment->second.pool]);
      break;
    case Action::free_completed:
      if (const auto segment = segment_of(event.address); segment != segments_.end())
        if (segment->second.blocks_in_use > 0 && --segment->second.blocks_in_use == 0)
          begin_free(lives_[segment->second.pool]);
      break;
    default: break;
    }
    if (gives_back(event.action)) see_release(pool);
  }

  /// At its last event: what gives memory of the default pool back does so for all that are not in use. With
  /// max_split_size or garbage collection that may be a part of it only.
  void see_release(const PoolId& pool) {
    is_release_of_all_ |= !pool.is_private();
    if (now_ + 1 < count_ && gives_back(events_.action(now_ + 1))) return;
    if (is_release_of_all_ && tells_releases_) last_release_ = now_ + 1;
    is_release_of_all_ = false;
  }

  Segments::iterator segment_of(std::uint64_t address) {
    const auto after = segments_.upper_bound(address);
    if (after == segments_.begin()) return segments_.end();
    const auto found = std::prev(after);
    return address - found->first < found->second.bytes ? found : segments_.end();
  }

  void add(std::uint64_t address, std::uint64_t bytes, const PoolId& pool, std::size_t blocks_in_use) {
    remove(segments_.find(address));
    segments_[address] = {bytes, pool, blocks_in_use};
    if (blocks_in_use == 0) begin_free(lives_[pool]);
  }

  void remove(Segments::iterator segment) {
    if (segment == segments_.end()) return;
    if (segment->second.blocks_in_use == 0) end_free(lives_[segment->second.pool]);
    segments_.erase(segment);
  }

  void begin_free(Life& life) const {
    if (life.free_segments++ == 0) life.free_since = now_;
  }

  void end_free(Life& life) const {
    note_release(life);
    --life.free_segments;
  }

  void note_release(Life& life) const {
    if (life.free_segments > 0 && last_release_ > life.free_since)
      life.in_use_until = std::max(life.in_use_until, last_release_);
  }

  const EventTable& events_;
  std::size_t count_;
  PoolFinder pools_;
  bool tells_releases_;
  std::size_t now_ = 0;
  std::size_t last_release_ = 0;   ///< the event after it; 0: none
  bool is_release_of_all_ = false; ///< the one that goes on
  std::map<PoolId, Life> lives_;
  Segments segments_;
};

} // namespace

std::map<PoolId, std::size_t> pools_in_use_until(const LeadUp& lead_up, const AllocatorSettings& settings,
                                                 Release at_failure) {
  return PoolLives(lead_up, settings).until(at_failure);
}

} // namespace memviz
