#pragma once

// A memory timeline of PyTorch's profiler (export_memory_timeline, the JSON of [times in us, sums by category]) -> the
// document of a snapshot: blocks of each category, stacked as high as its sum, each in a segment that is made up. The
// category's name is the only frame, because the file has neither blocks nor stacks.

#include "recording/profiler_reader.hpp"
#include "value/document.hpp"

#include <cstdint>

namespace memviz {

/// Whether the document is a list of times and a list of lists of sums.
[[nodiscard]] bool is_summed_timeline(const Document& document);

/// Returns the snapshot of a timeline of `file_bytes` bytes for which is_summed_timeline() holds. Throws Error if no
/// sum is possible, or if there are more changes than a profiler writes in so many bytes.
[[nodiscard]] ProfilerSnapshot summed_timeline_snapshot(const Document& timeline, std::uint64_t file_bytes);

} // namespace memviz
