#pragma once

// Counts the bytes of LibTorch's CPU allocator, in every thread, with an allocator in front of it. That is installed
// once and never removed, because memory that it allocated is freed through it. Earlier memory, and memory of an
// allocator with separate contexts, is not counted.

#include "memviz/capture/allocated_memory.hpp"

namespace memviz::capture {

/// Does nothing if it was done before. Throws std::runtime_error if LibTorch does not accept the allocator.
void install_cpu_counters();
/// Returns the bytes since the installation; the peak is that since reset_cpu_peak().
[[nodiscard]] MemoryReading read_cpu();
void reset_cpu_peak();

} // namespace memviz::capture
