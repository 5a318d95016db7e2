#pragma once

// A recording -> which of its files are the project's, for a report whose stacks have the project's lines alone.

#include "memviz/memory_state.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

/// The files of a recording that belong to the project, with their paths in it.
class ProjectFiles {
public:
  /// `root` is a folder as the recording's file names have it. Without one it is the longest common folder of the
  /// user's own Python files, else, in programs without Python, of the C++ files that asked for memory in `state`.
  ProjectFiles(const MemoryState& state, const std::optional<std::string>& root);

  /// The root with '/', and without one at its end; "" where there is no common folder.
  [[nodiscard]] const std::string& root() const { return root_; }
  /// Relative to the root; "" for a file outside of it, and for packages that are installed in it.
  [[nodiscard]] std::string_view path_of(StringId filename) const { return paths_[filename.value]; }
  /// Whether any frame is of a file inside.
  [[nodiscard]] bool has_any() const { return has_any_; }

private:
  std::string root_;
  std::vector<std::string> paths_; ///< by StringId
  bool has_any_ = false;
};

} // namespace memviz
