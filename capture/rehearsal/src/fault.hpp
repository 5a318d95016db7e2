// Says what happened when the program touches device memory by pointer from the host: no page backs it.
#pragma once

#include <cstdint>

namespace memviz::rehearsal {

// From now on a fault in [begin, begin + bytes) writes one sentence to stderr before it takes the course that it would
// have taken without: the handler that was there before, or the end of the process by SIGSEGV.
void explain_faults(std::uint64_t begin, std::uint64_t bytes);

} // namespace memviz::rehearsal
