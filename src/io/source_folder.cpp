#include "io/source_folder.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace memviz {

namespace {

namespace fs = std::filesystem;

int opened_folder(const std::string& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (number >= 0) return number;
  throw Error(errno == ENOENT    ? "no such folder"
              : errno == ENOTDIR ? "is a file; name the folder that it is in"
                                 : "cannot be opened: " + system_message(errno));
}

void add_path(std::vector<std::string>& paths, const fs::path& path) {
  std::string text = path.string();
  if (text.empty()) return; // it is unknown
  while (text.ends_with('/'))
    text.pop_back();
  if (std::ranges::find(paths, text) == paths.end()) paths.push_back(std::move(text));
}

std::int64_t nanoseconds(const struct stat& status) {
  constexpr std::int64_t kOfSecond = 1'000'000'000;
  return std::int64_t{status.st_mtim.tv_sec} * kOfSecond + std::int64_t{status.st_mtim.tv_nsec};
}

/// "." and ".." are none, nor hidden names: settings and keys are in such files, sources are not.
bool is_plain_name(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && name.find('\0') == std::string_view::npos;
}

bool is_regular(int folder, const std::string& name) {
  struct stat status {};
  return ::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

} // namespace

SourceFolder::SourceFolder(const std::string& path) : descriptor_(opened_folder(path)) {
  std::error_code unknown;
  add_path(paths_, fs::absolute(path, unknown).lexically_normal());
  add_path(paths_, fs::canonical(path, unknown));
}

/// Opens each name relative to the folder before it, so that no link and no ".." leads elsewhere.
std::optional<Descriptor> SourceFolder::open(std::string_view path) const {
  Descriptor folder(-1);
  int above = descriptor_.number();
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string name(path.substr(0, slash));
    if (!is_plain_name(name)) return std::nullopt;
    const bool is_file = slash == std::string_view::npos;
    // Opening a device may have effects, and opening a pipe may block.
    if (is_file && !is_regular(above, name)) return std::nullopt;
    const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | (is_file ? O_NONBLOCK | O_NOCTTY : O_DIRECTORY);
    Descriptor next(::openat(above, name.c_str(), flags));
    if (!next.is_open()) return std::nullopt;
    if (is_file) return next;
    folder = std::move(next);
    above = folder.number();
    path.remove_prefix(slash + 1);
  }
}

bool SourceFolder::has(std::string_view path) const {
  return open(path).has_value();
}

std::optional<SourceFile> SourceFolder::read(std::string_view path, std::size_t most_bytes) const {
  const std::optional<Descriptor> file = open(path);
  struct stat status {};
  if (!file || ::fstat(file->number(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (static_cast<std::uintmax_t>(status.st_size) > most_bytes) return std::nullopt;
  SourceFile source{std::string(static_cast<std::size_t>(status.st_size), '\0'), nanoseconds(status)};
  std::size_t size = 0;
  while (size < source.text.size()) {
    const ssize_t got = ::read(file->number(), source.text.data() + size, source.text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  source.text.resize(size);
  return source;
}

std::optional<std::int64_t> modified_ns(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return nanoseconds(status);
}

} // namespace memviz
