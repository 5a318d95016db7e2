#pragma once

// A recording through the model of the allocator, under given circumstances.

#include "analysis/explain/untold.hpp"
#include "memviz/what_if.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace memviz {

/// What lived before the first event: as it lay, in segments as the plan would have them, or allocated anew.
enum class Start : std::uint8_t { as_recorded, changed, packed };

struct ReplayPlan {
  AllocatorSettings settings;
  AllocatorSettings recorded_settings;
  std::uint64_t limit_bytes = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::int64_t> only_stream; ///< all streams are this one
  bool no_private_pools = false;
  Start start = Start::as_recorded;
  /// Before the expandable segments of the start lie pages that were mapped before: no file tells whether they do.
  bool has_pages_before = false;
  bool keeps_places = false; ///< new segments lie where the recording's did
  /// What the allocator itself gave back, because there was no room, is left to the model, which does so where it has
  /// none; only what the program gave back (empty_cache) is repeated.
  bool leaves_releases = false;
  Releaser untold_releaser = Releaser::allocator; ///< who is taken for it where the recording does not tell
  Bound captures = Bound::most;                   ///< of what no event says of captures
  Bound pools = Bound::most;                      ///< of what no event says of the ends of private pools
  bool frees_what_is_held = false;                ///< Untold::frees_held do not wait
  Release release = Release::done;                ///< what the allocator did for the request that failed
};

/// What is read off a recording once, for all replays of it. The default knows of no pool and no block.
struct Untold {
  std::map<PoolId, std::size_t> pools_in_use_until; ///< see there
  /// The same if the request failed while a graph was captured. If not, then what pools kept says that they are in use.
  std::map<PoolId, std::size_t> pools_in_use_until_in_capture;
  std::vector<std::pair<std::size_t, std::uint64_t>> frees_held; ///< see frees_held_by_capture()
};

struct ReplayOutcome {
  std::uint64_t reserved_bytes = 0; ///< at the last event replayed
  EventIndex failed_event;          ///< where memory ran out; the replay ends there
  bool has_untold_release = false;  ///< one of which the recording does not tell who called for it
  Fidelity fidelity;
  std::optional<bool> request_fits; ///< nullopt without a request, or where memory ran out before
};

[[nodiscard]] ReplayOutcome replay_model(const LeadUp& lead_up, const Untold& untold, const ReplayPlan& plan,
                                         const std::optional<Request>& request);

} // namespace memviz
