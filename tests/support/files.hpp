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
/// Real snapshots with figures of independent origin, which stand beside a checkout on some machines only; throws where
/// they are missing although MEMVIZ_NEED_SHARED is set.
[[nodiscard]] std::optional<std::filesystem::path> shared_folder();
/// Those snapshots, sorted; where there are none the test says that it was skipped, and has none to look at.
[[nodiscard]] std::vector<std::filesystem::path> shared_snapshots();

} // namespace memviz::test
