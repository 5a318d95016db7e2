#pragma once

// A private folder in the place that TMPDIR names, else in /tmp, removed with all that is in it. For POSIX.

#include <filesystem>
#include <string>

namespace memviz {

class TemporaryFolder {
public:
  /// Throws Error where the system has no room for it.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace memviz
