// NVIDIA's own libraries that are in the process next to this one: pip's PyTorch loads them, and all their functions
// that it calls are ours. What version they are is asked of them, so that PyTorch sees the one that it was installed
// with.
#pragma once

#include <string>

namespace memviz::rehearsal {

// The path of a loaded library whose file name begins with `prefix` and which is not this one; empty where there is
// none.
[[nodiscard]] std::string real_library(const char* prefix);

// A function of that library; null where there is none.
[[nodiscard]] void* real_function_address(const char* prefix, const char* name);

template <typename Function> Function real_function(const char* prefix, const char* name) {
  return reinterpret_cast<Function>(real_function_address(prefix, name));
}

} // namespace memviz::rehearsal
