#include "support/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace memviz::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "memviz-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryFolder::names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().string().ends_with(extension)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

fs::path testdata() {
  return fs::path(MEMVIZ_SOURCE_DIR) / "testdata";
}

std::string testdata_file(std::string_view name) {
  const fs::path path = testdata() / name;
  return path.extension() == ".pickle" || fs::exists(path) ? path.string() : path.string() + ".pickle";
}

std::optional<fs::path> shared_folder() {
  const fs::path folder = fs::path(MEMVIZ_SOURCE_DIR) / "../shared";
  if (fs::is_directory(folder / "snapshots") && fs::is_directory(folder / "oracle")) return folder;
  // Skipped tests would go unnoticed where the files are expected.
  if (std::getenv("MEMVIZ_NEED_SHARED") != nullptr)
    throw std::runtime_error("MEMVIZ_NEED_SHARED is set, but there is no " + folder.string());
  MESSAGE("skipped: no ../shared");
  return std::nullopt;
}

std::vector<fs::path> shared_snapshots() {
  const std::optional<fs::path> folder = shared_folder();
  return folder ? files_in(*folder / "snapshots", ".pickle") : std::vector<fs::path>{};
}

std::vector<fs::path> snapshots_in(const fs::path& folder) {
  std::vector<fs::path> files = files_in(folder, ".pickle");
  const std::vector<fs::path> shared = shared_snapshots();
  files.insert(files.end(), shared.begin(), shared.end());
  return files;
}

} // namespace memviz::test
