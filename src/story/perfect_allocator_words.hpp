#pragma once

// The need of a perfect allocator -> a clause.

#include "memviz/perfect_allocator.hpp"

#include <string>

namespace memviz {

/// "a perfect allocator needs 2.21 GiB of the 2.24 GiB, so no setting saves more than 30.0 MiB": the same clause
/// wherever free pieces are spoken of, without a full stop.
[[nodiscard]] std::string perfect_allocator_text(const PerfectAllocator& perfect);

} // namespace memviz
