#pragma once

// Counts the memory that operator new returns. Linking heap_meter.cpp replaces operator new for the whole program.

#include <cstddef>

namespace memviz::fuzz {

/// Resets the peak.
void start_heap_meter();
/// Returns the most bytes in use at once since then, above those in use at that time.
[[nodiscard]] std::size_t heap_peak_bytes();

} // namespace memviz::fuzz
