#pragma once

// Counts what operator new hands out. Linking heap_meter.cpp replaces operator new for the whole program.

#include <cstddef>

namespace memviz::fuzz {

/// Forgets the peak of before.
void start_heap_meter();
/// The most bytes in use at once since then, above what was in use then.
[[nodiscard]] std::size_t heap_peak_bytes();

} // namespace memviz::fuzz
