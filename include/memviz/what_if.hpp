#pragma once

// Recorded events -> what the allocator would have done under other circumstances. The events are replayed through
// a model of it, first as they were: only where that reproduces what the file says was reserved is an answer offered.

#include "memviz/memory_ledger.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace memviz {

/// The part of a recording that leads to the moment that is explained.
struct Recording {
  const Snapshot& start;       ///< the state before the first event
  const Snapshot& state;       ///< the state at the moment
  const EventTable& events;    ///< of `device`
  std::size_t event_count = 0; ///< events up to the moment
  std::uint32_t device = 0;
};

/// How well the model follows a recording, under the recording's own settings.
struct Fidelity {
  std::uint64_t allocs = 0;
  std::uint64_t same_places = 0;            ///< allocations that the model put at their recorded address
  std::uint64_t largest_reserved_bytes = 0; ///< recorded
  std::uint64_t largest_error_bytes = 0;    ///< of reserved bytes, after any allocation
  /// Whether answers by replay may be offered: an error of at most 2 % of the largest reserved size throughout.
  [[nodiscard]] bool reproduces() const { return allocs > 0 && largest_error_bytes <= largest_reserved_bytes / 50; }
};

[[nodiscard]] Fidelity check_model(const Recording& recording, const AllocatorSettings& settings);

enum class Circumstance : std::uint8_t {
  expandable_segments, ///< PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True from the start
  empty_cache,         ///< torch.cuda.empty_cache() just before
  without_blocks,      ///< without a few blocks that stand in the way
  one_stream,          ///< everything on the request's stream
  no_private_pools,    ///< everything in the default pool
};

[[nodiscard]] std::string_view circumstance_name(Circumstance circumstance);

enum class Outcome : std::uint8_t {
  fits, ///< the request, or at a moment without one: it saves memory
  does_not_fit,
  at_best,     ///< fits if what was allocated before the recording lies packed together, which no file can tell
  not_offered, ///< the model does not reproduce this recording, or its figures do not explain the failure
  no_matter,   ///< it is so already
};

[[nodiscard]] std::string_view outcome_name(Outcome outcome);

struct WhatIf {
  Circumstance circumstance = Circumstance::expandable_segments;
  Outcome outcome = Outcome::not_offered;
  /// Under this circumstance, at the moment; nullopt where it was not replayed so far.
  std::optional<std::uint64_t> reserved_bytes = {};
  /// The event at which memory would have run out already; -1: none.
  std::int64_t failed_event = -1;
  /// without_blocks: indices into the state's blocks, in address order, and their bytes.
  std::vector<std::uint32_t> blocks = {};
  std::uint64_t blocks_bytes = 0;
};

/// What is asked, and how far it can be answered.
struct Question {
  const std::optional<Request>& request;
  const AllocatorSettings& settings;
  const Fidelity& fidelity;
  Verdict verdict = Verdict::unclear;
};

/// Every circumstance that differs from the recorded ones, and empty_cache. With a request: whether it would have fit
/// in what the allocator held and the device had left; else: how much would be reserved at the moment.
[[nodiscard]] std::vector<WhatIf> what_if(const Recording& recording, const Question& question);

/// Which set of blocks is the smallest.
enum class Smallest : std::uint8_t { count, bytes };

/// A small set of blocks of `state` without which the request would fit, found greedily, in ascending order; empty
/// where none was found.
[[nodiscard]] std::vector<std::uint32_t> blocks_in_the_way(const Snapshot& state, std::uint32_t device,
                                                           const Request& request, const AllocatorSettings& settings,
                                                           Smallest smallest);

} // namespace memviz
