#pragma once

// Recorded events -> what the allocator would have done under other circumstances. The events are replayed through
// a model of it, first as they were: only where that reproduces what the file says was reserved is an answer offered.

#include "memviz/memory_ledger.hpp"
#include "memviz/memory_state.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace memviz {

/// The part of a recording that leads to the moment that is explained.
struct LeadUp {
  const MemoryMap& start;      ///< the memory before the first event
  const MemoryState& state;    ///< the state at the moment
  const EventTable& events;    ///< of `device`
  std::size_t event_count = 0; ///< events up to the moment
  DeviceId device;
  bool may_have_lost_events = false; ///< the ring of events may have lost its beginning
};

/// The degree to which the model follows a recording, under the recording's own settings.
struct Fidelity {
  std::uint64_t allocs = 0;
  std::uint64_t same_places = 0;            ///< allocations that the model put at their recorded address
  std::uint64_t largest_reserved_bytes = 0; ///< recorded
  std::uint64_t largest_error_bytes = 0;    ///< of reserved bytes, after any allocation
  /// The order that explains the recording best; none where both orders explain it alike.
  std::optional<FreeBlockOrder> free_block_order = {};
  /// Whether answers by replay may be offered: an error of at most 2 % of the largest reserved size throughout.
  [[nodiscard]] bool reproduces() const { return allocs > 0 && largest_error_bytes <= largest_reserved_bytes / 50; }
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
  max_split_size,      ///< PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:N from the first event on; of a failure only
};

[[nodiscard]] std::string_view circumstance_name(Circumstance circumstance);

enum class Outcome : std::uint8_t {
  fits, ///< the request, or at a moment without one: it saves memory
  does_not_fit,
  at_best,     ///< fits if what no file can show is so: see Proviso
  not_offered, ///< the model does not reproduce this lead_up, or its figures do not explain the failure
  no_matter,   ///< it is so already
};

[[nodiscard]] std::string_view outcome_name(Outcome outcome);

/// A condition of an answer that the file does not show.
enum class Proviso : std::uint8_t {
  none,
  start,        ///< where what lived before the first event would have lain
  capture,      ///< whether a CUDA graph was being captured or a private pool in use: then no memory goes back
  request_size, ///< what the request was before it was rounded up
  pages,        ///< which pages of expandable segments had been unmapped before the first event
  release,      ///< who gave memory back, the program or the allocator: recorded without stacks
  lost_events,  ///< the events that the ring lost: where expandable segments would have put what they allocated
};

/// "start", "capture", ...; empty for none.
[[nodiscard]] std::string_view proviso_name(Proviso proviso);

/// The values of max_split_size that are tried: sizes that people set, the largest first. PyTorch takes none of 20
/// MiB or less.
inline constexpr std::array<std::uint64_t, 3> kSplitSizesBytes{512ULL << 20U, 128ULL << 20U, 32ULL << 20U};

struct WhatIf {
  Circumstance circumstance = Circumstance::expandable_segments;
  /// max_split_size: the largest of those tried with which the request fits, else the smallest.
  std::uint64_t value_bytes = 0;
  Outcome outcome = Outcome::not_offered;
  Proviso proviso = Proviso::none; ///< of at_best, and of not_offered where that is why
  /// Under this circumstance, at the moment; nullopt where it was not replayed so far, or where that is not sure.
  std::optional<std::uint64_t> reserved_bytes = {};
  /// The event at which memory would have run out already; -1: none.
  EventIndex failed_event = {};
  /// without_blocks: indices into the state's blocks, in address order, and their bytes.
  std::vector<std::uint32_t> blocks = {};
  std::uint64_t blocks_bytes = 0;
};

/// The question, and how far it can be answered.
struct Question {
  const std::optional<Request>& request;
  const AllocatorSettings& settings;
  const Fidelity& fidelity;
  Verdict verdict = Verdict::unclear;
  /// The bytes of each block's line: of sets with the same cost, the one with the largest lines is the answer. Empty
  /// if unknown.
  std::span<const std::uint64_t> line_bytes = {};
};

/// Every circumstance that differs from the recorded ones, and empty_cache. With a request: whether it would have fit
/// in what the allocator held and the device had left; else: how much would be reserved at the moment.
[[nodiscard]] std::vector<WhatIf> what_if(const LeadUp& lead_up, const Question& question);

/// The measure by which a set of blocks is the smallest.
enum class Smallest : std::uint8_t { count, bytes };

/// The set of blocks to look for, and the circumstances.
struct BlockSearch {
  Smallest smallest = Smallest::count;
  bool releases_cache = true; ///< the allocator gives free segments back before it fails; not while a graph is captured
  std::span<const std::uint64_t> line_bytes = {}; ///< as in Question
};

/// A small set of blocks of `state` without which the request would fit, in ascending order: found by counting, tried
/// in the model of the allocator, and (for states of which that takes no longer than a moment) without a block that
/// could stay. Empty where none was found, or none is in the way.
[[nodiscard]] std::vector<std::uint32_t> blocks_in_the_way(const MemoryState& state, DeviceId device,
                                                           const Request& request, const AllocatorSettings& settings,
                                                           const BlockSearch& search);

} // namespace memviz
