#pragma once

// The names of the snapshots in a file, and what the user asks for -> the one that is read.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// Returns the index of the only snapshot, or of the one that `rank` names: by its name, by its number, or by the rank
/// in its name. Throws SeveralSnapshots if there are several and none is named, UsageError if there is none of that
/// name.
[[nodiscard]] std::size_t chosen_snapshot(const std::vector<std::string>& names,
                                          const std::optional<std::string>& rank);

} // namespace memviz
