#pragma once

// A recording -> which of its files belong to the project, for a report whose stacks contain only the project's lines.

#include "memviz/memory_state.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The files of a recording that belong to the project, with their paths in it.
class ProjectFiles {
public:
  /// Finds the project's files. `root` is a folder as spelled in the recording's file names. Without one it is the
  /// longest common folder of the user's own Python files, or, in programs without Python, of the C++ files that
  /// requested memory in `state`.
  ProjectFiles(const MemoryState& state, const std::optional<std::string>& root);

  /// Returns the root with '/', without one at its end; "" if there is no common folder.
  [[nodiscard]] const std::string& root() const { return root_; }
  /// Returns the path relative to the root; "" for a file outside it, and for packages that are installed in it.
  [[nodiscard]] std::string_view path_of(StringId filename) const { return paths_[filename.value]; }
  /// Whether any frame is in a file of the project.
  [[nodiscard]] bool has_any() const { return has_any_; }

private:
  std::string root_;
  std::vector<std::string> paths_; ///< by StringId
  bool has_any_ = false;
};

} // namespace memviz
