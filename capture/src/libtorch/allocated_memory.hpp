#pragma once

// What AllocatedMemory reads: the counters of a device's allocator.

#include "memviz/capture/allocated_memory.hpp"

#include <c10/core/Device.h>

namespace memviz::capture {

/// With the peak since reset_device_peak(). `device` is the CPU or a CUDA device with an index.
[[nodiscard]] MemoryReading read_device(c10::Device device);
void reset_device_peak(c10::Device device);

} // namespace memviz::capture
