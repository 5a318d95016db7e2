#pragma once

// Two recordings -> the differences in how they were made, as far as the files record them: PyTorch's generation, the
// made-up GPU of a rehearsal, allocator settings.

#include "memviz/recording.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz {

struct EnvironmentChange {
  std::string name; ///< "expandable_segments"
  std::optional<std::string> before;
  std::optional<std::string> after; ///< nullopt: the file does not record it
  friend bool operator==(const EnvironmentChange&, const EnvironmentChange&) = default;
};

/// Returns the generation first, then settings ordered by name. If one file has no settings at all, that counts as one
/// change.
[[nodiscard]] std::vector<EnvironmentChange> environment_changes(const Recording& before, const Recording& after);

} // namespace memviz
