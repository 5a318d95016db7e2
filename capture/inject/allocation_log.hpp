#pragma once

// Allocations and frees of the CUDA driver -> live memory, and a bounded history; a copy of both becomes a snapshot
// with one segment per allocation. Independent of CUPTI: the code that sees the calls reports them here. Safe for
// several threads.

#include "snapshot_data.hpp"
#include "stack_table.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace memviz::inject {

struct Allocation {
  int device = 0;
  std::uint64_t address = 0;
  std::uint64_t size = 0;           ///< given by the driver: including the padding of a pitch
  std::uint64_t requested_size = 0; ///< requested by the program
  std::int64_t stream = 0;
  capture::PoolId pool;
  std::uint64_t context = 0; ///< the context with which the memory is freed; 0: none
  const char* function = ""; ///< the driver's, a constant; written as the event's user_metadata
};

/// The place and time of a call.
struct Place {
  std::span<void* const> stack;
  std::int64_t time_us = 0;
};

struct Limits {
  std::size_t max_entries = 0; ///< calls in the history
  std::size_t max_bytes = 0;   ///< host memory of history and stacks; live memory is kept whatever it takes
};

/// One call of the driver in the history: up to three events of a snapshot.
struct Entry {
  enum class Kind : std::uint8_t { allocation, free, failure };
  Kind kind = Kind::allocation;
  Allocation allocation; ///< failure: requested_size is the request, address the free bytes of the device
  std::int64_t time_us = 0;
  capture::StackIndex stack = capture::kNoStack;
};

/// A copy of a log at one moment.
struct LogCopy {
  std::vector<Entry> live;    ///< in the order of their addresses
  std::vector<Entry> history; ///< oldest first
  capture::StackTable stacks;
  Limits limits;
  std::uint64_t dropped_entries = 0;
  std::uint64_t dropped_stacks = 0;
};

class AllocationLog {
public:
  explicit AllocationLog(Limits limits) : limits_(limits) {}

  /// Adds an allocation. Live memory that it overlaps was freed in an unseen way, so it is freed first.
  void allocated(const Allocation& allocation, const Place& place);
  /// Returns what was freed; nullopt, without an entry, if nothing known is live there.
  std::optional<Allocation> freed(std::uint64_t address, const Place& place);
  /// Frees everything that begins in the range: one call can unmap several mappings.
  void range_freed(std::uint64_t address, std::uint64_t size, const Place& place);
  /// Whether anything is live that context_destroyed() would free.
  [[nodiscard]] bool has_memory_of(std::uint64_t context) const;
  /// Frees everything live in it; `user_metadata` of these frees shows that the program did not free it: "context
  /// destroyed".
  void context_destroyed(std::uint64_t context, const Place& place);
  void failed(const Allocation& wanted, std::uint64_t device_free, const Place& place);

  [[nodiscard]] LogCopy copy() const;
  /// Returns the host memory in use, in bytes; an estimate.
  [[nodiscard]] std::size_t bytes() const;

private:
  using Live = std::map<std::uint64_t, Entry>;
  void append(Entry entry);
  Live::iterator free_live(Live::iterator position, const Place& place);
  capture::StackIndex stack_of(const Place& place);
  [[nodiscard]] std::size_t bytes_locked() const;

  mutable std::mutex mutex_; ///< never held while CUDA is called or symbols are looked up
  Limits limits_;
  Live live_;
  std::deque<Entry> history_;
  capture::StackTable stacks_;
  std::uint64_t dropped_entries_ = 0;
  std::uint64_t dropped_stacks_ = 0;
};

/// Builds a snapshot with one segment and one block for each live allocation; events segment_alloc and alloc,
/// free_requested, free_completed and segment_free, oom. The settings show what was lost.
[[nodiscard]] capture::SnapshotData make_snapshot(const LogCopy& log);

} // namespace memviz::inject
