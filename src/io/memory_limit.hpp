#pragma once

// The most memory that the program may take from the system. The one place that sets a limit, for POSIX.

#include <cstdint>

namespace memviz {

/// From now on an allocation that would take the program's data over `bytes` fails with std::bad_alloc. Mapped input
/// files are not data: their pages can be given back at any time. Throws Error where the system refuses.
void limit_memory(std::uint64_t bytes);

} // namespace memviz
