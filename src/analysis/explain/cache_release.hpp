#pragma once

// Infers what the events of a recording leave open about released memory: whether the allocator or the program released
// it, and whether a CUDA graph was being captured, during which a request fails without a release.

#include "memviz/what_if.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// Returns an event's pool. Events before 2026 do not record it: then it is that of the segment around their address at
/// either end of the recording.
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

[[nodiscard]] bool releases_memory(Action action);

/// The cause of a release: the allocator, for a request that found no room, or the program, by a call such as
/// empty_cache(). Without stacks both can look the same.
enum class ReleaseCause : std::uint8_t { allocator, program, unknown };

/// Finds the cause of the releases from event `index` on. These events have the stack of the request, whose outcome
/// directly follows them.
[[nodiscard]] ReleaseCause release_cause(const LeadUp& lead_up, std::size_t index);

/// Whether a pool other than the default one was ever in use, so that a CUDA graph may have been being captured.
[[nodiscard]] bool had_private_pools(const LeadUp& lead_up, const std::optional<Request>& request);

/// Whether a block waited for another stream after it was freed. During a capture the allocator does not check whether
/// that stream has finished.
[[nodiscard]] bool had_waiting_frees(const LeadUp& lead_up);

/// Whether the allocator released memory before the request failed.
enum class CacheRelease : std::uint8_t { done, not_done, unknown };
[[nodiscard]] CacheRelease release_before_failure(const LeadUp& lead_up, const Request& request,
                                                  const AllocatorSettings& settings);

/// Whether more may be missing for the request than the state in which it failed shows: see Judgement.
[[nodiscard]] bool missing_is_least(const LeadUp& lead_up, const Request& request, const AllocatorSettings& settings);

} // namespace memviz
