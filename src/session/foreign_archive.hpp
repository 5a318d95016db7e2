#pragma once

// The names in an archive -> those that may be snapshots, or what the archive is instead.

#include <cstddef>
#include <string>
#include <vector>

namespace memviz {

/// Returns the indices of the entries that may be snapshots: of those that are named like one, if there are any; only
/// the object itself of what torch.save wrote. Throws Error, which says what the archive is and what to do, if it has
/// none.
[[nodiscard]] std::vector<std::size_t> snapshot_entries(const std::vector<std::string>& names);

/// Throws Error for a file of torch.save with tensors.
[[noreturn]] void throw_checkpoint();

} // namespace memviz
