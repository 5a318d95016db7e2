#pragma once

// Two recordings -> what differs in how they were made, as far as the files record it: PyTorch's generation, the
// made-up GPU of a rehearsal, allocator settings.

#include "memviz/recording.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz {

struct EnvironmentChange {
  std::string name; ///< "expandable_segments"
  std::optional<std::string> before;
  std::optional<std::string> after; ///< nothing: the file does not record it
  friend bool operator==(const EnvironmentChange&, const EnvironmentChange&) = default;
};

/// Returns the generation first, then settings in order of their names. Where one file has no settings at all, that is
/// one change.
[[nodiscard]] std::vector<EnvironmentChange> environment_changes(const Recording& before, const Recording& after);

} // namespace memviz
