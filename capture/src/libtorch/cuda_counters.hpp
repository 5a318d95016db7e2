#pragma once

// The counters of the CUDA caching allocator, for AllocatedMemory.

#include "memviz/capture/allocated_memory.hpp"

#include <c10/core/Device.h>

namespace memviz::capture {

/// Loads what a first matrix product loads, so that its memory does not count as the program's. Returns the device with
/// its index. Throws std::runtime_error without a CUDA device, or with a LibTorch without CUDA.
[[nodiscard]] c10::Device prepare_cuda(c10::Device device);
/// Returns sizes of blocks, which are rounded to 512 bytes, as allocated_bytes.all of torch.cuda.memory_stats.
[[nodiscard]] MemoryReading read_cuda(c10::Device device);
void reset_cuda_peak(c10::Device device);

} // namespace memviz::capture
