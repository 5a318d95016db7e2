#pragma once

// A memory timeline of PyTorch's profiler (export_memory_timeline, raw form) -> the document of a snapshot: sizes,
// times and categories of blocks. It has neither addresses nor stacks, and does not distinguish equal
// blocks of one category.

#include "recording/profiler_reader.hpp"
#include "value/document.hpp"

namespace memviz {

/// Whether the document is the raw form: a list of [time in ns, action, bytes, category].
[[nodiscard]] bool is_raw_timeline(const Document& document);

/// Returns the snapshot of a timeline for which is_raw_timeline() holds. Throws Error if no row is possible.
[[nodiscard]] ProfilerSnapshot timeline_snapshot(const Document& timeline);

} // namespace memviz
