#pragma once

// A private folder of make_private_temporary_folder(), removed with everything in it.

#include <filesystem>

namespace memviz {

class TemporaryFolder {
public:
  /// Throws Error if it cannot be created.
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
  std::filesystem::path path_;
};

} // namespace memviz
