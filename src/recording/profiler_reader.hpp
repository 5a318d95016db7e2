#pragma once

// A trace of PyTorch's profiler -> the document of a snapshot, as far as the trace shows memory: events with stacks of
// operators and Python functions, annotations, and segments that are made up from addresses.

#include "value/document.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace memviz {

struct ProfilerSnapshot {
  Document document;
  std::vector<std::string> warnings; ///< what the trace lacks, and what is made up
  bool is_cpu = false;               ///< whether the memory is that of the CPU
};

/// Returns the snapshot of a trace of `file_bytes` bytes, for which is_profiler_trace() holds. Throws Error, which says
/// what to do, if it has no memory events with addresses.
[[nodiscard]] ProfilerSnapshot profiler_snapshot(const Document& trace, std::uint64_t file_bytes);

} // namespace memviz
