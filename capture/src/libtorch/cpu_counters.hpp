#pragma once

// Counts the bytes of LibTorch's CPU allocator, in every thread, with an allocator that is in front of it. That is
// installed once and never removed, since memory it handed out is freed through it. Memory that was allocated before,
// and memory of an allocator with its own contexts, is not counted.

#include "memviz/capture/allocated_memory.hpp"

namespace memviz::capture {

/// Does nothing when it was done before. Throws std::runtime_error when LibTorch does not take the allocator.
void install_cpu_counters();
/// Returns the bytes since the installation; the peak is that since reset_cpu_peak().
[[nodiscard]] MemoryReading read_cpu();
void reset_cpu_peak();

} // namespace memviz::capture
