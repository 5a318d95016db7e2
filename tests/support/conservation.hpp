#pragma once

// A state -> whether every sum over it counts each of its bytes once.

#include "memviz/memory_state.hpp"

namespace memviz::test {

/// Fails the test unless blocks fill their segments, and the figures, kinds, paths and account without stacks of each
/// device, and of all devices together, have the same bytes.
void check_conserved(const MemoryState& state);

} // namespace memviz::test
