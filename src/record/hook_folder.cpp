#include "record/hook_folder.hpp"

#include "io/output_file.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"
#include "record/hook_files.hpp"
#include "redact/sha256.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace memviz::record {

namespace fs = std::filesystem;

namespace {

/// "hook-" and half of a SHA-256 of all of them.
std::string folder_name() {
  std::string all;
  for (const auto& [name, text] : kHookFiles)
    all += fmt::format("{}\n{}\n", name, text);
  const auto digest = sha256(all);
  std::string result = "hook-";
  for (std::size_t i = 0; i < digest.size() / 2; ++i)
    result += fmt::format("{:02x}", digest[i]);
  return result;
}

bool has_content(const fs::path& path, std::string_view text) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return file && content.view() == text;
}

bool is_whole(const fs::path& folder) {
  for (const auto& [name, text] : kHookFiles)
    if (!has_content(folder / name, text)) return false;
  return true;
}

/// What everybody may write is no place for what every Python imports.
bool is_own(const fs::path& folder) {
  struct stat facts {};
  return stat(folder.c_str(), &facts) == 0 && facts.st_uid == geteuid() && (facts.st_mode & S_IWOTH) == 0;
}

std::optional<fs::path> cache_folder() {
  fs::path folder;
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    folder = cache;
  else if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/')
    folder = fs::path(home) / ".cache";
  else
    return std::nullopt;
  // It becomes a part of PYTHONPATH.
  if (folder.string().find(':') != std::string::npos) return std::nullopt;
  folder /= "memviz";
  std::error_code error;
  fs::create_directories(folder, error);
  return !error && is_own(folder) ? std::optional(folder) : std::nullopt;
}

fs::path new_folder(const fs::path& where) {
  std::string name = (where / "memviz-hook-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error(where.string() + ": " + system_message(errno));
  return name;
}

/// Gives what was written its name. Where somebody else was faster, theirs stays; what is damaged is moved away first,
/// and runs that use it find their files gone at worst, which they say.
fs::path in_its_place(const fs::path& written, const fs::path& folder, const fs::path& cache) {
  std::error_code error;
  fs::rename(written, folder, error);
  if (!error) return folder;
  std::error_code ignored;
  if (is_whole(folder)) {
    fs::remove_all(written, ignored);
    return folder;
  }
  fs::path damaged;
  try {
    damaged = new_folder(cache);
  } catch (const Error&) {
    return written;
  }
  fs::rename(folder, damaged, ignored);
  fs::rename(written, folder, error);
  fs::remove_all(damaged, ignored);
  return error ? written : folder;
}

/// Whole or not there, for all who start at the same time: written beside it and renamed.
std::optional<fs::path> cached_hook() {
  const auto cache = cache_folder();
  if (!cache) return std::nullopt;
  fs::path folder = *cache / folder_name();
  if (is_whole(folder)) return folder;
  fs::path written;
  std::error_code ignored;
  try {
    written = new_folder(*cache);
    write_hook(written);
  } catch (const Error&) {
    if (!written.empty()) fs::remove_all(written, ignored);
    return std::nullopt;
  }
  return in_its_place(written, folder, *cache);
}

} // namespace

void write_hook(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "memviz_recording", error);
  if (error) throw Error(folder.string() + ": " + error.message());
  for (const auto& [name, text] : kHookFiles)
    write_file((folder / name).string(), text);
}

fs::path lasting_hook() {
  if (auto folder = cached_hook()) return *folder;
  const char* const temporary = std::getenv("TMPDIR");
  fs::path folder = new_folder(temporary == nullptr || *temporary == '\0' ? "/tmp" : temporary);
  write_hook(folder);
  return folder;
}

} // namespace memviz::record
