#pragma once

// A PyTorch memory snapshot, of whatever generation and encoding, as flat tables. Nothing in here knows pickle.
// Sizes are bytes, times are microseconds since 1970, addresses are unsigned 64 bit.
// Source of the fields: torch/csrc/cuda/Module.cpp and torch/csrc/cuda/memory_snapshot.cpp, PyTorch 1.13 to 2.13.

#include "memviz/events.hpp"
#include "memviz/frames.hpp"
#include "memviz/rehearsal.hpp"
#include "memviz/text_rewriter.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

/// No sum of sizes may exceed this (1 EiB): so far from every real one that signed arithmetic on a few cannot overflow.
inline constexpr std::uint64_t kMaxTotalBytes = std::uint64_t{1} << 60U;

enum class BlockState : std::uint8_t { active_allocated, active_pending_free, inactive };

/// PyTorch's own spelling: "active_allocated", ...
[[nodiscard]] std::string_view state_name(BlockState state);

struct Block {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  /// What the program asked for, at most size_bytes; 0 for inactive blocks, whose requested_size is stale in every
  /// writer.
  std::uint64_t requested_bytes = 0;
  BlockState state = BlockState::inactive;
  /// Stack of the allocation; kNoFrames for inactive blocks.
  StackId stack = kNoFrames;

  [[nodiscard]] bool is_active() const { return state != BlockState::inactive; }
  /// What the allocator added to the request.
  [[nodiscard]] std::uint64_t rounding_bytes() const { return is_active() ? size_bytes - requested_bytes : 0; }
};

struct Segment {
  std::uint32_t device = 0;
  std::uint64_t address = 0;
  std::uint64_t total_bytes = 0;
  /// The cudaStream_t as an integer; 0 is the default stream.
  std::int64_t stream = 0;
  PoolId pool;
  bool is_expandable = false;
  /// `segment_type`: large, small, or nullopt where the file does not say.
  std::optional<bool> is_large;
  /// Stack of the cudaMalloc.
  StackId stack = kNoFrames;
  std::uint32_t first_block = 0;
  std::uint32_t block_count = 0;
  /// total_bytes minus what its blocks cover; not 0 only in damaged or edited files.
  std::uint64_t uncovered_bytes = 0;
};

/// A `record_function` mark, or any other entry of `external_annotations`.
struct Annotation {
  StringId name;
  StringId stage; ///< "START", "END" or ""
  std::uint32_t device = 0;
  std::int64_t time_us = 0;
  std::vector<std::pair<StringId, StringId>> metadata; ///< the keys beside those above
};

/// How the file was written, as far as the file shows it.
struct Origin {
  std::string encoding;   ///< "pickle protocol 4", "JSON"
  std::string generation; ///< "PyTorch 2.5 to 2.8": inferred from the keys present
  bool is_list = false;   ///< a bare list of segments: torch.cuda.memory_snapshot()
  bool is_cpu = false;    ///< main memory, recorded by memviz's capture module: its device 0 is no GPU
  /// Main memory in a recording of GPUs, by the same module: the device that is none.
  std::optional<std::uint32_t> cpu_device;
  std::optional<Rehearsal> rehearsal; ///< what was made up, where the GPU was
  std::uint64_t size_bytes = 0;       ///< of the decompressed file; what is made of it is bounded by it

  [[nodiscard]] bool is_main_memory(std::uint32_t device) const { return is_cpu || device == cpu_device; }
};

struct Snapshot {
  FrameTable frames;
  std::vector<Segment> segments;           ///< sorted by device, then address
  std::vector<Block> blocks;               ///< grouped by segment, in address order
  std::vector<EventTable> traces;          ///< index = device; oldest event first. Empty where a sink took the events
  std::vector<std::uint64_t> event_counts; ///< index = device; whether or not the events are in `traces`
  std::vector<Annotation> annotations;
  /// `allocator_settings`, nested keys joined by '.', values as text; in file order.
  std::vector<std::pair<StringId, StringId>> settings;
  std::optional<bool> trace_overflowed;           ///< `trace_alloc_overflowed` (2026)
  std::optional<std::uint64_t> trace_max_entries; ///< `trace_alloc_max_entries` (2026)
  Origin origin;
  std::vector<std::string> warnings;

  [[nodiscard]] std::span<const Block> blocks_of(const Segment& segment) const {
    return std::span(blocks).subspan(segment.first_block, segment.block_count);
  }
  /// The segments of one device, in address order; of all without one.
  [[nodiscard]] std::span<const Segment> segments_of(std::optional<std::uint32_t> device) const;
  /// Devices that have a segment or an event, ascending.
  [[nodiscard]] std::vector<std::uint32_t> devices() const;
};

struct ReadOptions {
  /// Where the events go instead of Snapshot::traces.
  EventSink* sink = nullptr;
  /// What the file's texts pass through on their way into the snapshot; nothing else of it sees them.
  TextRewriter* rewriter = nullptr;
  /// Threads that decode the events of a pickle of protocol 4 or 5, this one included.
  unsigned threads = 1;
  /// Convert the events of a pickle while it is decoded. Without it everything is decoded first, which takes more time
  /// and memory for the same result; files for which the former cannot be done are read like that in any case.
  bool stream = true;
  /// Called every few megabytes with the number of bytes that are done with. A file that is read a second time starts
  /// again.
  std::function<void(std::uint64_t done_bytes)> on_progress;
};

/// Decodes a snapshot from the bytes of a pickle (protocols 0 to 5) or of the JSON form of the same object.
/// Nothing in it is executed. Throws ParseError or Error, and what the sink throws; `bytes` need not outlive the call.
[[nodiscard]] Snapshot read_snapshot(std::string_view bytes, const ReadOptions& options = {});

} // namespace memviz
