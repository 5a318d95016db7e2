// Explains what happened when the program accesses device memory by pointer from the host: no page backs it.
#pragma once

#include <cstdint>

namespace memviz::rehearsal {

// Makes a fault in [begin, begin + bytes) write one sentence to stderr before it is handled as it would have been
// without: by the previous handler, or by ending the process with SIGSEGV.
void explain_faults(std::uint64_t begin, std::uint64_t bytes);

} // namespace memviz::rehearsal
