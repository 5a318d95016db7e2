#pragma once

// Kinds and names of a process's tensors -> the key `memviz_recorder` of its snapshot, as memviz's Python package
// writes it (docs/recording.md, "In the file").

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::capture {

/// A piece of GPU memory that a tensor of a model has.
struct DeclaredMemory {
  std::uint64_t device = 0;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::string kind; ///< "parameter", "buffer" or "gradient"
  std::string name; ///< "layers.0.weight"; that of the parameter for a gradient
};

/// Adds them to the keys of the dict that `pickle` holds. The pickle's protocol is at least 2.
void add_declared_memory(const std::vector<DeclaredMemory>& memory, std::string& pickle);

} // namespace memviz::capture
