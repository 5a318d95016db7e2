#pragma once

// A recording -> what bears on how memory is given back, and no event says: whether a CUDA graph is being captured,
// while which a request fails with nothing given back, and when a private pool is given up, from when on its memory can
// go back. What is known are bounds: an answer that is the same at both of them is true.

#include "memviz/what_if.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace memviz {

/// Events before 2026 do not say their pool: that of the segment around their address at either end of the recording.
class PoolFinder {
public:
  explicit PoolFinder(const LeadUp& lead_up);
  [[nodiscard]] PoolId pool_of(const Event& event) const;

private:
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    PoolId pool;
  };
  std::vector<Range> ranges_;
};

/// Which bound: of all that may have been, what gives back most, or least.
enum class Bound : std::uint8_t { most, least };

[[nodiscard]] bool gives_back(Action action);

/// Who gave memory back: the allocator for a request that found no room, or the program by a call of its own, such as
/// empty_cache(). Without stacks both can look the same.
enum class Releaser : std::uint8_t { allocator, program, untold };

/// What was reserved right before a release, and the most that ever could be.
struct Room {
  std::uint64_t reserved_bytes = 0;
  std::uint64_t limit_bytes = 0;
};

/// Who gave back what is given back from event `index` on. A request's stack is on these events, too, and its outcome
/// comes right after them; had there been room for it, it would not have given back anything.
[[nodiscard]] Releaser releaser(const LeadUp& lead_up, std::size_t index, const Room& room);

/// What the private pool of a request that failed gave back for it. No empty_cache() would have: the pool is in use.
[[nodiscard]] std::uint64_t own_pool_release_bytes(const LeadUp& lead_up, const Request& request);

/// Private pools by the event before which they are given up, ascending. `in_use_until`: see pools_in_use_until().
[[nodiscard]] std::vector<std::pair<std::size_t, PoolId>>
pools_given_up(const LeadUp& lead_up, const PoolFinder& pools, const std::map<PoolId, std::size_t>& in_use_until,
               Bound bound);

/// Blocks that were freed and waited for another stream while a graph may have been being captured: nobody looks then
/// whether that stream is done. Each as the event before which it could be free at the earliest, and its address;
/// ascending.
[[nodiscard]] std::vector<std::pair<std::size_t, std::uint64_t>>
frees_held_by_capture(const LeadUp& lead_up, const std::optional<Request>& request, const AllocatorSettings& settings);

/// Whether a graph may be being captured, event by event: one that is allocates in its private pool, and while it is
/// nothing is given back.
class CaptureWatch {
public:
  CaptureWatch(const LeadUp& lead_up, const AllocatorSettings& settings);
  void see(const Event& event, const PoolId& pool);
  [[nodiscard]] bool may_be_capturing() const { return may_be_capturing_; }

private:
  bool may_be_capturing_ = false;
  bool gives_back_always_; ///< with max_split_size, or garbage collection, also while a graph is captured
};

/// Whether the allocator gave memory back before the request failed.
enum class Release : std::uint8_t { done, not_done, untold };
[[nodiscard]] Release release_before_failure(const LeadUp& lead_up, const Request& request,
                                             const AllocatorSettings& settings);

/// Whether more may be missing for the request than the state it failed in shows: see Judgement.
[[nodiscard]] bool missing_is_least(const LeadUp& lead_up, const Request& request, const AllocatorSettings& settings);

} // namespace memviz
