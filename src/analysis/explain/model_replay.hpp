#pragma once

// A recording through the model of the allocator, under given circumstances.

#include "memviz/what_if.hpp"

namespace memviz {

struct ReplayPlan {
  AllocatorSettings settings;
  std::uint64_t limit_bytes = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::int64_t> only_stream; ///< all streams are this one
  bool no_private_pools = false;
  bool packed_start = false; ///< what lived before the first event is allocated anew
  bool keeps_places = false; ///< new segments lie where the recording's did
};

struct ReplayOutcome {
  std::uint64_t reserved_bytes = 0; ///< at the last event replayed
  std::int64_t failed_event = -1;   ///< where memory ran out; the replay ends there
  Fidelity fidelity;
  std::optional<bool> request_fits; ///< nullopt without a request, or where memory ran out before
};

[[nodiscard]] ReplayOutcome replay_model(const Recording& recording, const ReplayPlan& plan,
                                         const std::optional<Request>& request);

} // namespace memviz
