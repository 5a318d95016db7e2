#pragma once

// Files for tests: temporary folders, whole files, and the folders of test inputs.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::test {

/// A new empty folder, removed with all that is in it.
class TemporaryFolder {
public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();

  [[nodiscard]] std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  /// Names of all that is in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, std::string_view bytes);

/// Files of `folder` whose names end in `extension`, sorted; none where the folder is missing.
[[nodiscard]] std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                                          std::string_view extension);

/// The project's own snapshots.
[[nodiscard]] std::filesystem::path testdata();
/// The path of one of its files; of a snapshot the name is enough, without ".pickle".
[[nodiscard]] std::string testdata_file(std::string_view name);
/// Real snapshots with figures of independent origin, which are next to a checkout on some machines only; throws where
/// they are missing although MEMVIZ_NEED_SHARED is set, else says that the test was skipped.
[[nodiscard]] std::optional<std::filesystem::path> shared_folder();
/// The real snapshots, sorted; none where they are missing.
[[nodiscard]] std::vector<std::filesystem::path> shared_snapshots();
/// The snapshots of a folder, and after them the shared ones.
[[nodiscard]] std::vector<std::filesystem::path> snapshots_in(const std::filesystem::path& folder);

} // namespace memviz::test
