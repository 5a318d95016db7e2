#pragma once

// Stands in front of LibTorch's CPU allocator, in every thread, and tells one listener of each allocation and free.
// Installed once and never removed, since memory it handed out is freed through it. What was allocated before the
// installation, and what an allocator with contexts of its own hands out, passes unseen. When memory runs out, the
// recording dumps (report_out_of_memory).

#include "operator_names.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace memviz::capture {

/// From where memory was allocated or freed.
struct CallSite {
  std::span<void* const> native;                   ///< return addresses, innermost first; may be empty
  std::span<const OperatorStack::Entry> operators; ///< outermost first; valid during the call only
};

/// Is called under the watch's lock, so one call at a time and in the order in which things happened. Must not allocate
/// or free tensors.
class CpuAllocationListener {
public:
  virtual ~CpuAllocationListener() = default;
  virtual void allocated(std::uint64_t address, std::uint64_t bytes, const CallSite& site) noexcept = 0;
  virtual void freed(std::uint64_t address, std::uint64_t bytes, const CallSite& site) noexcept = 0;
};

/// What is gathered before the listener is told.
struct CallSiteKinds {
  bool operators_of_allocations = false;
  bool operators_of_frees = false;
  bool native_of_allocations = false;
  bool native_of_frees = false;
};

/// Bytes since the installation, as in torch.cuda.memory_stats.
struct CpuCounters {
  std::int64_t allocated = 0;
  std::int64_t freed = 0;
  std::int64_t current = 0;
  std::int64_t peak = 0; ///< since reset_cpu_peak()
};

struct LiveAllocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// Does nothing when it was done before. Throws std::runtime_error when LibTorch does not take the allocator.
void install_cpu_watch();

void listen_to_cpu(CpuAllocationListener& listener, const CallSiteKinds& kinds);
/// On return no call to the listener runs or will come.
void stop_listening_to_cpu();

[[nodiscard]] CpuCounters cpu_counters();
void reset_cpu_peak();

/// No allocation or free is reported while it exists: what the listener knows and live() fit each other.
class CpuWatchPause {
public:
  CpuWatchPause();
  ~CpuWatchPause();
  CpuWatchPause(const CpuWatchPause&) = delete;
  CpuWatchPause& operator=(const CpuWatchPause&) = delete;
  /// Allocations made since the installation and not freed, in no order.
  [[nodiscard]] std::vector<LiveAllocation> live() const;
};

/// For fork: the child of a process must not find the lock taken by a thread that it does not have.
void lock_cpu_watch();
void unlock_cpu_watch();
/// In the child, under the lock.
void drop_cpu_listener();

} // namespace memviz::capture
