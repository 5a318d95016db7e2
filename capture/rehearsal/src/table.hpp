// All functions of the made-up libraries by name: what cuGetProcAddress and cudaGetDriverEntryPoint answer from.
#pragma once

#include <string>

namespace memviz::rehearsal {

// The address of the function with this exact name; null where there is none.
[[nodiscard]] void* find_function(const std::string& name);

// The driver's function that a program compiled with `cuda_version` (12040 for 12.4) means by `name` without its
// suffix: cuMemAlloc is cuMemAlloc_v2 since CUDA 3.2. Null where the driver that is made up has none.
[[nodiscard]] void* find_driver_function(const std::string& name, int cuda_version);

} // namespace memviz::rehearsal
