#pragma once

// Replays a recording through the model of the allocator, under given circumstances.

#include "memviz/what_if.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace memviz {

/// The memory that was live before the first event: placed as recorded, placed in segments as the plan would have them,
/// or allocated anew.
enum class Start : std::uint8_t { as_recorded, changed, packed };

struct ReplayPlan {
  AllocatorSettings settings;
  std::uint64_t limit_bytes = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::int64_t> only_stream; ///< all streams are this one
  bool no_private_pools = false;
  Start start = Start::as_recorded;
  bool keeps_places = false; ///< new segments have the recording's addresses
  /// Whether the model decides about releases for lack of room, so that only those by the program (empty_cache) are
  /// repeated.
  bool leaves_releases = false;
  std::span<const std::uint64_t> freed_addresses = {}; ///< of blocks that are freed just before the request
  std::span<const RestEvent> rest = {};                ///< what follows the request, which is the first of them
};

struct ReplayOutcome {
  std::uint64_t reserved_bytes = 0; ///< at the last event replayed
  EventIndex failed_event;          ///< the event at which memory ran out, which ends the replay
  bool has_unknown_release = false; ///< either the program or the allocator may have made it
  Fidelity fidelity;
  std::optional<bool> request_fits; ///< nullopt without a request, or if memory ran out earlier
  bool rest_fits = false;           ///< whether all of the plan's rest does
};

[[nodiscard]] ReplayOutcome replay_model(const LeadUp& lead_up, const ReplayPlan& plan,
                                         const std::optional<Request>& request);

} // namespace memviz
