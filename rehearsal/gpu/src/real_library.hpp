// NVIDIA's own libraries in the process next to this one: pip's PyTorch loads them, and all their functions that it
// calls are ours. Their version is queried from them, so that PyTorch sees the one that it was installed with.
#pragma once

#include <string>

namespace memviz::rehearsal {

// Returns the path of a loaded library, other than this one, whose file name begins with `prefix`; empty if there is
// none.
[[nodiscard]] std::string real_library(const char* prefix);

// Returns a function of that library; null if there is none.
[[nodiscard]] void* real_function_address(const char* prefix, const char* name);

template <typename Function> Function real_function(const char* prefix, const char* name) {
  return reinterpret_cast<Function>(real_function_address(prefix, name));
}

} // namespace memviz::rehearsal
