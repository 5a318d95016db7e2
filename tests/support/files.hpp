#pragma once

// Files for tests: temporary folders, whole files, and the folders of test inputs.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::test {

/// A new empty folder, removed with everything in it.
class TemporaryFolder {
public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  /// Returns the names of all entries, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, std::string_view bytes);

/// Returns files of `folder` whose names end in `extension`, sorted; none if the folder is missing.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                                          std::string_view extension);

/// The project's own snapshots.
[[nodiscard]] std::filesystem::path testdata();
/// Returns the path of one of its files; for a snapshot the name without ".pickle" is enough.
[[nodiscard]] std::string testdata_file(std::string_view name);
/// Returns the folder of real snapshots with figures of independent origin, which are next to a checkout only on some
/// machines. If they are missing, throws if MEMVIZ_NEED_SHARED is set, else prints that the test was skipped.
[[nodiscard]] std::optional<std::filesystem::path> shared_folder();
/// Returns the real snapshots, sorted; none if they are missing.
[[nodiscard]] std::vector<std::filesystem::path> shared_snapshots();
/// Returns the snapshots of a folder, followed by the shared ones.
[[nodiscard]] std::vector<std::filesystem::path> snapshots_in(const std::filesystem::path& folder);

} // namespace memviz::test
