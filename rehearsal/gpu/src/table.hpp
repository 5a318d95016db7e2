// All functions of the made-up libraries by name, for cuGetProcAddress and cudaGetDriverEntryPoint.
#pragma once

#include <string>

namespace memviz::rehearsal {

// Returns the address of the function with this exact name; null if there is none.
[[nodiscard]] void* find_function(const std::string& name);

// Returns the driver's function that a program compiled with `cuda_version` (12040 for 12.4) means by `name` without
// its suffix: cuMemAlloc has been cuMemAlloc_v2 since CUDA 3.2. Null if the made-up driver has none.
[[nodiscard]] void* find_driver_function(const std::string& name, int cuda_version);

} // namespace memviz::rehearsal
