#pragma once

// A recording -> what bears on how memory is given back, and no event says: whether a CUDA graph is being captured,
// while which a request fails with nothing given back, and when a private pool is given up, from when on its memory can
// go back. What is known are bounds: an answer that is the same at both of them is true.

#include "memviz/what_if.hpp"

#include <cstdint>
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
/// Whether what is given back from event `index` on was given back by the allocator for a request that found no room:
/// the request's stack is on these events, and its outcome comes right after them.
[[nodiscard]] bool is_own_release(const LeadUp& lead_up, std::size_t index);

/// Private pools by the event before which they are given up, ascending.
[[nodiscard]] std::vector<std::pair<std::size_t, PoolId>> pools_given_up(const LeadUp& lead_up, const PoolFinder& pools,
                                                                         Bound bound);

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

} // namespace memviz
