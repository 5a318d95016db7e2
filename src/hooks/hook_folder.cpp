#include "hooks/hook_folder.hpp"

#include "base/sha256.hpp"
#include "hooks/hook_files.hpp"
#include "io/output_file.hpp"
#include "io/own_folder.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zip.h>

namespace memviz::hooks {

namespace fs = std::filesystem;

namespace {

/// Throws Error unless `succeeded`.
void check(bool succeeded) {
  if (!succeeded) throw Error("cannot make the archive of the hook in memory");
}

/// Adds a file. Its date is the first that the format has, so that equal files make equal archives.
void add_file(zip_t* archive, std::string_view name, std::string_view text) {
  constexpr zip_uint16_t kFirstDate = (1U << 5U) | 1U; // 1 January 1980
  zip_source_t* const source = zip_source_buffer(archive, text.data(), text.size(), 0);
  check(source != nullptr);
  const zip_int64_t added = zip_file_add(archive, std::string(name).c_str(), source, ZIP_FL_ENC_UTF_8);
  if (added < 0) zip_source_free(source);
  check(added >= 0);
  const auto index = static_cast<zip_uint64_t>(added);
  check(zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) == 0);
  check(zip_file_set_dostime(archive, index, 0, kFirstDate, 0) == 0);
}

std::string bytes_of(zip_source_t* source) {
  zip_stat_t facts;
  check(zip_source_stat(source, &facts) == 0 && zip_source_open(source) == 0);
  std::string bytes(facts.size, '\0');
  const zip_int64_t read = zip_source_read(source, bytes.data(), bytes.size());
  zip_source_close(source);
  check(read == static_cast<zip_int64_t>(bytes.size()));
  return bytes;
}

/// Returns a zip archive of files that are not compressed, with all their dates in 1980.
std::string zip_of(std::span<const std::pair<std::string_view, std::string_view>> files) {
  const std::unique_ptr<zip_source_t, void (*)(zip_source_t*)> memory(zip_source_buffer_create(nullptr, 0, 0, nullptr),
                                                                      zip_source_free);
  check(memory != nullptr);
  zip_source_keep(memory.get()); // the archive frees its own reference
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(zip_open_from_source(memory.get(), ZIP_TRUNCATE, nullptr),
                                                   zip_discard);
  check(archive != nullptr);
  for (const auto& [name, text] : files)
    add_file(archive.get(), name, text);
  check(zip_close(archive.get()) == 0);
  static_cast<void>(archive.release());
  return bytes_of(memory.get());
}

/// Puts the bytes into a file of no folder, which this process and the program that replaces it hold open, and returns
/// the path by which programs that they start find it, as long as this process id runs. Throws Error.
/// The descriptor is never closed: the program inherits it.
std::filesystem::path path_in_memory(std::string_view bytes) {
  const int file = ::memfd_create("memviz-hook", 0);
  if (file < 0) throw Error("cannot keep a file in memory: " + system_message(errno));
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw Error("cannot write to a file in memory: " + system_message(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return fmt::format("/proc/{}/fd/{}", ::getpid(), file);
}

/// A folder with this name and some letters, until it gets its final name.
constexpr const char* kWritten = "memviz-hook-";
constexpr const char* kPackage = "memviz_recording";
/// A file with the name of the folder in which Python keeps bytecode, so that Python neither reads nor writes any here.
constexpr const char* kNoBytecode = "__pycache__";

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

/// Whether the folder holds the hook's files of `inner` and, besides them, only `names`: a json.py in it would be
/// imported instead of Python's own.
bool has_exactly(const OwnFolder& folder, std::string_view inner, std::vector<std::string> names) {
  for (const auto& [name, text] : kHookFiles) {
    const fs::path path(name);
    if (path.parent_path() != inner) continue;
    if (!folder.has_file(path.filename().string(), text)) return false;
    names.push_back(path.filename().string());
  }
  std::ranges::sort(names);
  return folder.has_file(kNoBytecode, "") && folder.names() == names;
}

bool is_whole(const OwnFolder& cache, const std::string& name) {
  const auto folder = cache.folder(name);
  const auto package = folder ? folder->folder(kPackage) : std::nullopt;
  return package && has_exactly(*folder, "", {kPackage, kNoBytecode}) && has_exactly(*package, kPackage, {kNoBytecode});
}

/// Its path becomes a part of PYTHONPATH.
fs::path without_colon(fs::path path) {
  if (path.string().find(':') != std::string::npos) throw Error(path.string() + ": has a colon in its name");
  return path;
}

/// Returns the user's cache; nullopt if the environment does not name one.
std::optional<fs::path> cache_folder() {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/') return cache;
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/') return fs::path(home) / ".cache";
  return std::nullopt;
}

/// Gives the written folder its final name. A whole hook that another process put there meanwhile stays; a damaged one
/// is moved away first. Runs that use the damaged one find their files gone at worst, which they report.
fs::path in_its_place(const fs::path& written, const OwnFolder& cache, const std::string& name) {
  fs::path folder = cache.path() / name;
  std::error_code error;
  fs::rename(written, folder, error);
  if (!error) return folder;
  std::error_code ignored;
  if (is_whole(cache, name)) {
    fs::remove_all(written, ignored);
    return folder;
  }
  const fs::path damaged = written.string() + "-damaged";
  fs::rename(folder, damaged, ignored);
  fs::rename(written, folder, error);
  fs::remove_all(damaged, ignored);
  return error ? written : folder;
}

/// Writes the hook into a new folder and returns it. If it cannot, for example on a full disk, removes the folder.
fs::path with_hook(fs::path folder) try {
  write_hook(without_colon(folder));
  return folder;
} catch (const Error&) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  throw;
}

/// Writes a folder that is complete or absent, even if several processes start at the same time: next to its name, then
/// renamed. Throws Error if others can write to the cache.
fs::path cached_hook(const fs::path& place) {
  const OwnFolder cache = OwnFolder::make(place, "memviz");
  const std::string name = folder_name();
  fs::path folder = without_colon(cache.path() / name);
  if (is_whole(cache, name)) return folder;
  return in_its_place(with_hook(make_private_folder(cache.path(), kWritten)), cache, name);
}

void write_private(const fs::path& file, std::string_view text) {
  write_file(file.string(), text);
  fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
}

} // namespace

void write_hook(const fs::path& folder) try {
  fs::create_directory(folder / kPackage);
  fs::permissions(folder / kPackage, fs::perms::owner_all);
  for (const auto& [name, text] : kHookFiles)
    write_private(folder / name, text);
  for (const fs::path& inner : {folder, folder / kPackage})
    write_private(inner / kNoBytecode, "");
} catch (const fs::filesystem_error& error) {
  throw Error(folder.string() + ": " + error.code().message());
}

fs::path lasting_hook() {
  try {
    if (const auto cache = cache_folder()) return cached_hook(*cache);
  } catch (const Error&) {
    // Memory for this run alone is enough.
  }
  return path_in_memory(zip_of(kHookFiles));
}

} // namespace memviz::hooks
