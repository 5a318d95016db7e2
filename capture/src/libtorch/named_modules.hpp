#pragma once

// Modules of LibTorch -> the kinds and names of their memory on CUDA devices.

#include "declared_memory.hpp"

#include <torch/nn/module.h>

#include <memory>
#include <vector>

namespace memviz::capture {

/// Returns the memory of parameters, their gradients and buffers; of memory that several share, the first one's name
/// and the number of the others. Modules that are gone have none. No memory of the GPU is read or allocated.
[[nodiscard]] std::vector<DeclaredMemory> memory_of(const std::vector<std::weak_ptr<torch::nn::Module>>& modules);

} // namespace memviz::capture
