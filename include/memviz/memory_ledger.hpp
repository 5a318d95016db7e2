#pragma once

// The state of a device at a moment -> every reserved byte once, by its use or by what prevents its use; and the
// verdict that follows from these figures. All sizes are bytes.

#include "memviz/allocator_settings.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace memviz {

/// A request that failed: the `oom` event.
struct Request {
  EventIndex event;
  std::uint64_t bytes = 0; ///< rounded, as the file has it
  std::int64_t stream = 0;
  PoolId pool; ///< where the file does not record it (before 2026), explain() assumes the likely one
  bool pool_is_known = false;
  StackId stack = kNoFrames;
  StackId forward_stack = kNoFrames; ///< of the backward pass: the code that ran in the forward pass, as in Event
  StringId compile_context = {};
  StringId user_metadata = {};
  std::optional<std::int64_t> time_us;
  /// The bytes that the driver reported as free after PyTorch had returned what it could; nullopt if the number is
  /// implausible.
  std::optional<std::uint64_t> device_free_bytes;

  [[nodiscard]] bool is_small() const { return bytes <= kSmallRequestBytes; }
};

/// Reserved bytes that no block uses, by what keeps the request from using them. Without a request, the stream that
/// holds most live bytes takes its place, its pool is the default pool, and `other_size` is 0.
struct FreeRoom {
  std::uint64_t hard_bytes = 0; ///< between blocks in use of a segment (of a page, in expandable segments)
  /// Wholly free segments or pages that can return to the device, but do not merge: with a request, those of any stream
  /// and size class. Those of private pools cannot return while their graph exists.
  std::uint64_t soft_bytes = 0;
  std::uint64_t stream_bytes = 0;       ///< in segments of other streams
  std::uint64_t private_pool_bytes = 0; ///< in pools that the request cannot use
  std::uint64_t other_size_bytes = 0;   ///< in the small pool, for a large request, or the other way round
  std::uint64_t unplaced_bytes = 0;     ///< all of it where segments are made up, so that none of the others is known
  [[nodiscard]] std::uint64_t total_bytes() const {
    return hard_bytes + soft_bytes + stream_bytes + private_pool_bytes + other_size_bytes + unplaced_bytes;
  }
};

/// Every reserved byte of a device once: the parts add up to `reserved_bytes`.
struct MemoryLedger {
  std::uint64_t reserved_bytes = 0;
  std::uint64_t live_bytes = 0;     ///< requested by the program, in allocated blocks
  std::uint64_t rounding_bytes = 0; ///< added to that by the allocator
  std::uint64_t pending_bytes = 0;  ///< freed blocks that another stream may still use (record_stream)
  /// Part of `room`: in free runs large enough for the request, what became free just before it failed. PyTorch waits
  /// for all streams as a last resort, but does not search its free blocks again
  /// (https://github.com/pytorch/pytorch/issues/189504).
  std::uint64_t late_free_bytes = 0;
  FreeRoom room;
  std::uint64_t unaccounted_bytes = 0; ///< in damaged files: covered by no block
  std::uint64_t no_segment_bytes = 0;  ///< in edited files: live by the events, outside reserved memory

  std::optional<std::uint64_t> device_free_bytes; ///< at an oom event only
  std::optional<std::uint64_t> capacity_bytes;    ///< only if the caller knows it: no file records it
  /// capacity - reserved - free: other processes, the CUDA context, libraries. Nullopt if one of them is unknown, or if
  /// they contradict each other.
  std::optional<std::uint64_t> outside_bytes;

  std::uint64_t largest_hole_bytes = 0;     ///< the largest free run that the request may use
  std::uint64_t largest_any_hole_bytes = 0; ///< of any pool, stream and size class
  /// The bytes that the device would have to supply for the request: a segment, or the missing pages; 0 without a
  /// request.
  std::uint64_t needed_bytes = 0;
  std::uint64_t segments = 0;

  /// Whether free memory in pieces is a real part of what PyTorch can have of the device: 5 % or more.
  [[nodiscard]] bool is_fragmented() const {
    constexpr std::uint64_t kLeastPart = 20;
    return room.hard_bytes >= (reserved_bytes + device_free_bytes.value_or(0)) / kLeastPart;
  }
};

enum class Verdict : std::uint8_t {
  exhaustion,    ///< all free memory together would not have been enough
  fragmentation, ///< it would, but it is in pieces
  size_class,    ///< it is in the small pool for a large request, or the other way round
  stream,        ///< it is in segments of other streams
  private_pool,  ///< it is in private pools
  pending_free,  ///< it is in blocks that were freed but not yet released, or released too late
  rounding,      ///< it is in the allocator's additions to each request
  outside,       ///< most of the missing memory is held outside PyTorch
  unclear,       ///< the figures of this file do not explain the failure
  idle,          ///< it is in wholly free segments that are not returned (if it failed, because a graph is captured)
  in_use,        ///< no request failed, and reserved memory is used
  empty,         ///< nothing is reserved
};

/// "exhaustion", "private_pool", ...
[[nodiscard]] std::string_view verdict_name(Verdict verdict);

/// The reason for a verdict: which part of the ledger decided.
struct Judgement {
  Verdict verdict = Verdict::empty;
  std::uint64_t needed_bytes = 0;  ///< the bytes that the device had to supply
  std::uint64_t missing_bytes = 0; ///< that minus the bytes it had; 0 if no request failed
  /// Whether more may be missing. With max_split_size the allocator released memory for the request, which during a
  /// capture helps only if it is enough, and no event shows whether a CUDA graph was being captured.
  bool missing_is_least = false;
  /// The bytes that the allocator takes for the request if it uses no cached memory: a whole segment, or pages.
  std::uint64_t alone_bytes = 0;
  std::uint64_t reachable_bytes = 0; ///< free on the device plus all free room of PyTorch
  bool only_together = false;        ///< no single cause would have been enough; the verdict is the largest
  bool capacity_matters = false;     ///< without a capacity, it is unknown whether memory outside PyTorch contributed
};

/// One line of the ledger, for people.
struct LedgerPart {
  std::string_view name; ///< "free between blocks in use", ...
  std::string_view key;  ///< "hard_bytes", ...: as in JSON
  std::uint64_t bytes = 0;
  bool is_inside = true;    ///< a part of the reserved bytes, which all parts add up to
  bool is_optional = false; ///< omitted if it is 0
};

/// Returns reserved bytes, their parts, then the known rest of the device.
[[nodiscard]] std::vector<LedgerPart> ledger_parts(const MemoryLedger& ledger);

/// Returns the `oom` event at `index` as a request.
[[nodiscard]] Request request_of(const Event& event, EventIndex index);
struct LedgerOptions {
  std::optional<std::uint64_t> capacity_bytes = {}; ///< of the device, if the caller knows it
  std::optional<AllocatorSettings> settings = {};   ///< of the state, if the caller has them
};

[[nodiscard]] MemoryLedger memory_ledger(const MemoryState& state, DeviceId device,
                                         const std::optional<Request>& request, const LedgerOptions& options = {});
[[nodiscard]] Judgement judge(const MemoryLedger& ledger, const std::optional<Request>& request,
                              const AllocatorSettings& settings);

} // namespace memviz
