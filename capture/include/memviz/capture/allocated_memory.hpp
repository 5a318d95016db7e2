#pragma once

// Bytes allocated on a device before and after a piece of code, and their difference.

#include <c10/core/Device.h>

#include <cstdint>

namespace memviz::capture {

/// The allocated_bytes.all.{allocated,current,freed,peak} of torch.cuda.memory_stats. All sizes are bytes.
struct MemoryReading {
  std::int64_t allocated = 0; ///< ever allocated
  std::int64_t current = 0;   ///< allocated and not freed
  std::int64_t freed = 0;     ///< ever freed
  std::int64_t peak = 0;      ///< highest `current` since the context was entered
};

/// A scope: reads at construction, again at finish() (or at each call of after()).
class AllocatedMemory {
public:
  /// Loads CUDA's libraries first (by a small matrix product), so that their memory does not count as the program's. On
  /// the CPU it counts the allocations of LibTorch's CPU allocator in every thread; a Recorder is not needed.
  explicit AllocatedMemory(c10::Device device);
  ~AllocatedMemory();
  AllocatedMemory(const AllocatedMemory&) = delete;
  AllocatedMemory& operator=(const AllocatedMemory&) = delete;

  [[nodiscard]] const MemoryReading& before() const { return before_; }
  [[nodiscard]] MemoryReading after() const;
  /// Returns after() - before(); the peak is that of after(), minus before().current.
  [[nodiscard]] MemoryReading delta() const;

private:
  c10::Device device_;
  MemoryReading before_;
};

} // namespace memviz::capture
