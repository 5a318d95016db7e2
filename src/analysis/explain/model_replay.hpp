#pragma once

// A recording through the model of the allocator, under given circumstances.

#include "memviz/what_if.hpp"

#include <cstdint>
#include <limits>
#include <optional>

namespace memviz {

/// The memory that lived before the first event: as it lay, in segments as the plan would have them, or allocated
/// anew.
enum class Start : std::uint8_t { as_recorded, changed, packed };

struct ReplayPlan {
  AllocatorSettings settings;
  std::uint64_t limit_bytes = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::int64_t> only_stream; ///< all streams are this one
  bool no_private_pools = false;
  Start start = Start::as_recorded;
  bool keeps_places = false; ///< new segments lie where the recording's did
  /// Whether to leave releases for lack of room to the model, and to repeat only those of the program (empty_cache).
  bool leaves_releases = false;
};

struct ReplayOutcome {
  std::uint64_t reserved_bytes = 0; ///< at the last event replayed
  EventIndex failed_event;          ///< where memory ran out; the replay ends there
  bool has_unknown_release = false; ///< the program or the allocator may have made it
  Fidelity fidelity;
  std::optional<bool> request_fits; ///< nullopt without a request, or where memory ran out before
};

[[nodiscard]] ReplayOutcome replay_model(const LeadUp& lead_up, const ReplayPlan& plan,
                                         const std::optional<Request>& request);

} // namespace memviz
