#pragma once

// Recorded events -> what the allocator would have done under other circumstances. A model of the allocator replays the
// events, first unchanged: an answer is offered only if that reproduces the reserved bytes that the file records.

#include "memviz/memory_ledger.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/pass_need.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace memviz {

/// The part of a recording that leads to the explained moment.
struct LeadUp {
  const MemoryMap& start;      ///< the memory before the first event
  const MemoryState& state;    ///< the state at the moment
  const EventTable& events;    ///< of `device`
  std::size_t event_count = 0; ///< events up to the moment
  DeviceId device;
  bool may_have_lost_events = false; ///< the beginning may be missing from the ring of events
};

/// The degree to which the model follows a recording, under the recording's own settings.
struct Fidelity {
  std::uint64_t allocs = 0;
  std::uint64_t same_places = 0;            ///< allocations that the model placed at their recorded address
  std::uint64_t largest_reserved_bytes = 0; ///< recorded
  std::uint64_t largest_error_bytes = 0;    ///< of reserved bytes, after any allocation
  /// The order that explains the recording best; nullopt if both orders explain it equally well.
  std::optional<FreeBlockOrder> free_block_order = {};
  std::vector<std::string> settings_not_modelled = {}; ///< AllocatorSettings::not_modelled
  /// Whether answers by replay may be offered: the model follows all settings, and the error is at most 2 % of the
  /// largest reserved size throughout.
  [[nodiscard]] bool reproduces() const {
    return settings_not_modelled.empty() && allocs > 0 && largest_error_bytes <= largest_reserved_bytes / 50;
  }
};

/// Replays the recording in either order of free blocks. Returns the figures of the order with the smaller error, then
/// with more allocations at their recorded address.
[[nodiscard]] Fidelity check_model(const LeadUp& lead_up, const AllocatorSettings& settings);

enum class Circumstance : std::uint8_t {
  expandable_segments, ///< PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True from the start
  empty_cache,         ///< torch.cuda.empty_cache() just before
  without_blocks,      ///< without a few blocks that are in the way
  one_stream,          ///< everything on the request's stream
  no_private_pools,    ///< everything in the default pool
  no_rounding,         ///< without roundup_power2_divisions
  no_split_limit,      ///< without max_split_size_mb, which with expandable segments lets reserved memory grow
  max_split_size,      ///< PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:N from the first event on; only for a failure
};

[[nodiscard]] std::string_view circumstance_name(Circumstance circumstance);

enum class Outcome : std::uint8_t {
  fits, ///< for the request; or, without one, it saves memory
  does_not_fit,
  at_best,     ///< fits under conditions that no file can show: see Proviso
  not_offered, ///< the model does not reproduce this lead_up, or its figures do not explain the failure
  no_matter,   ///< already the case
};

[[nodiscard]] std::string_view outcome_name(Outcome outcome);

/// A condition of an answer that the file does not show.
enum class Proviso : std::uint8_t {
  none,
  start,        ///< where memory alive before the first event was placed
  capture,      ///< whether a CUDA graph was being captured or a private pool in use: then no memory is returned
  request_size, ///< the size of the request before it was rounded up
  pages,        ///< which pages of expandable segments had been unmapped before the first event
  release,      ///< whether the program or the allocator returned memory: recorded without stacks
  lost_events,  ///< the events that the ring lost: where expandable segments would have placed their allocations
};

/// "start", "capture", ...; empty for none.
[[nodiscard]] std::string_view proviso_name(Proviso proviso);

/// The values of max_split_size that are tried: common ones, the largest first. PyTorch accepts none of 20 MiB or less.
inline constexpr std::array<std::uint64_t, 3> kSplitSizesBytes{512ULL << 20U, 128ULL << 20U, 32ULL << 20U};

/// Whether the program would go on after the request, as it did after the same request of the pass before.
enum class Prospect : std::uint8_t {
  unknown,     ///< no pass before shows what follows, or the circumstance is not replayed
  goes_on,     ///< everything up to the same request of the next pass fits, and live memory does not grow
  grows,       ///< it fits, but each pass leaves more behind, so memory runs out later
  falls_short, ///< memory runs out again before that
};

/// "unknown", "goes_on", ...
[[nodiscard]] std::string_view prospect_name(Prospect prospect);

struct WhatIf {
  Circumstance circumstance = Circumstance::expandable_segments;
  /// For max_split_size: the largest of those tried with which the request fits, else the smallest.
  std::uint64_t value_bytes = 0;
  Outcome outcome = Outcome::not_offered;
  Proviso proviso = Proviso::none; ///< of at_best, and of not_offered if that is the reason
  /// Reserved bytes under this circumstance, at the moment; nullopt if it was not replayed that far, or is uncertain.
  std::optional<std::uint64_t> reserved_bytes = {};
  /// The event at which memory would have run out earlier; -1: none.
  EventIndex failed_event = {};
  /// For without_blocks: indices into the state's blocks, in address order, and their bytes.
  std::vector<std::uint32_t> blocks = {};
  std::uint64_t blocks_bytes = 0;
  Prospect prospect = Prospect::unknown; ///< of an outcome that fits
};

/// The question, and how far it can be answered.
struct Question {
  const std::optional<Request>& request;
  const AllocatorSettings& settings;
  const Fidelity& fidelity;
  Verdict verdict = Verdict::unclear;
  /// The bytes of each block's line: among sets with the same cost, the one with the largest lines is the answer. Empty
  /// if unknown.
  std::span<const std::uint64_t> line_bytes = {};
  const PassRest* rest = nullptr; ///< what follows the request, if that is known
};

/// Returns the answers for every circumstance that differs from the recorded ones, and for empty_cache. With a request:
/// whether it would have fit in the allocator's memory plus what the device had left; else: how much would be reserved
/// at the moment.
[[nodiscard]] std::vector<WhatIf> what_if(const LeadUp& lead_up, const Question& question);

/// The measure by which a set of blocks is the smallest.
enum class Smallest : std::uint8_t { count, bytes };

/// The set of blocks to look for, and the circumstances.
struct BlockSearch {
  Smallest smallest = Smallest::count;
  bool releases_cache = true; ///< whether free segments are returned before it fails; not during a capture
  std::span<const std::uint64_t> line_bytes = {}; ///< as in Question
};

/// Returns a small set of blocks of `state` without which the request would fit, in ascending order: found by counting,
/// tried in the model of the allocator, and, unless the state is too large for that, reduced until every block is
/// needed. Empty if none was found, or none is in the way.
[[nodiscard]] std::vector<std::uint32_t> blocks_in_the_way(const MemoryState& state, DeviceId device,
                                                           const Request& request, const AllocatorSettings& settings,
                                                           const BlockSearch& search);

} // namespace memviz
