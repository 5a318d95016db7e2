#include "io/own_folder.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace memviz {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr mode_t kPrivate = 0700;
constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
/// Folders above a home are often not readable.
constexpr int kFolderOnTheWay = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// An error for a place where no private folder can be.
class OpenToOthers : public Error {
public:
  using Error::Error;
};

[[noreturn]] void fail(const fs::path& path, int error_number) {
  throw Error(path.string() + ": " + system_message(error_number));
}

struct stat status_of(const Descriptor& descriptor, const fs::path& path) {
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) fail(path, errno);
  return status;
}

bool is_own(const struct stat& status) {
  return status.st_uid == ::geteuid() && (status.st_mode & kOthersWrite) == 0;
}

/// Whether the users of the machine have their numbers here: in a container that a user started, root is `nobody`.
bool sees_all_users() {
  std::ifstream map("/proc/self/uid_map");
  std::uint64_t first = 0;
  std::uint64_t outside = 0;
  std::uint64_t count = 0;
  constexpr std::uint64_t kAll = 0xFFFFFFFF;
  return !(map >> first >> outside >> count) || count == kAll;
}

bool is_of_system(uid_t owner) {
  constexpr uid_t kNobody = 65534;
  return owner == 0 || (owner == kNobody && !sees_all_users());
}

/// Others may add to a sticky folder such as /tmp, but can neither rename nor remove files of other users.
void check_on_the_way(const struct stat& status, const fs::path& path) {
  if (status.st_uid != ::geteuid() && !is_of_system(status.st_uid))
    throw OpenToOthers(path.string() + " belongs to another user");
  if ((status.st_mode & kOthersWrite) != 0 && (status.st_mode & S_ISVTX) == 0)
    throw OpenToOthers("others may write to " + path.string());
}

enum class Missing { is_made, is_error };

Descriptor open_in(const Descriptor& parent, const fs::path& path, int flags, Missing missing) {
  const std::string name = path.filename().string();
  Descriptor folder(::openat(parent.number(), name.c_str(), flags));
  if (folder.is_open()) return folder;
  const bool makes = missing == Missing::is_made && errno == ENOENT;
  if (makes && (::mkdirat(parent.number(), name.c_str(), kPrivate) == 0 || errno == EEXIST))
    folder = Descriptor(::openat(parent.number(), name.c_str(), flags));
  if (!folder.is_open()) fail(path, errno);
  return folder;
}

struct Place {
  Descriptor descriptor;
  fs::path path; ///< without links
};

/// Descends from the root, and checks each folder on the way.
Place reach(const fs::path& place, Missing missing) {
  std::error_code error;
  const fs::path absolute = fs::absolute(place, error);
  const fs::path path = error ? fs::path() : fs::weakly_canonical(absolute, error);
  if (error) throw Error(place.string() + ": " + error.message());
  Place at{Descriptor(::open("/", kFolderOnTheWay)), "/"};
  if (!at.descriptor.is_open()) fail(at.path, errno);
  check_on_the_way(status_of(at.descriptor, at.path), at.path);
  for (const fs::path& part : path.relative_path()) {
    if (part.empty()) continue; // after a last slash
    at.path /= part;
    at.descriptor = open_in(at.descriptor, at.path, kFolderOnTheWay, missing);
    check_on_the_way(status_of(at.descriptor, at.path), at.path);
  }
  return at;
}

/// Reads at most one byte more than `most_bytes`.
std::string content_of(const Descriptor& file, std::size_t most_bytes) {
  std::string content(most_bytes + 1, '\0');
  std::size_t size = 0;
  while (size < content.size()) {
    const ssize_t got = ::read(file.number(), content.data() + size, content.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  content.resize(size);
  return content;
}

} // namespace

OwnFolder OwnFolder::make(const fs::path& place, const std::string& name) {
  const Place parent = reach(place, Missing::is_made);
  const fs::path path = parent.path / name;
  Descriptor folder = open_in(parent.descriptor, path, kFolder, Missing::is_made);
  const struct stat status = status_of(folder, path);
  if (status.st_uid != ::geteuid()) throw Error(path.string() + " belongs to another user");
  // Created with an open umask; files that others put there meanwhile do not belong to this user.
  if (!is_own(status) && ::fchmod(folder.number(), status.st_mode & 07777U & ~kOthersWrite) != 0) fail(path, errno);
  return {std::move(folder), path};
}

std::optional<OwnFolder> OwnFolder::folder(const std::string& name) const {
  Descriptor inner(::openat(descriptor_.number(), name.c_str(), kFolder));
  struct stat status {};
  if (!inner.is_open() || ::fstat(inner.number(), &status) != 0 || !is_own(status)) return std::nullopt;
  return OwnFolder(std::move(inner), path_ / name);
}

bool OwnFolder::has_file(const std::string& name, std::string_view content) const {
  const Descriptor file(
      ::openat(descriptor_.number(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  return file.is_open() && ::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) && is_own(status) &&
         content_of(file, content.size()) == content;
}

std::vector<std::string> OwnFolder::names() const {
  std::vector<std::string> names;
  const int descriptor = ::openat(descriptor_.number(), ".", kFolder);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(descriptor), ::closedir);
  if (!stream) fail(path_, errno);
  while (const dirent* const entry = ::readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

fs::path make_private_folder(const fs::path& place, const std::string& name) {
  const Place parent = reach(place, Missing::is_error);
  std::string path = (parent.path / (name + "XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr) fail(parent.path, errno);
  return path;
}

fs::path make_private_temporary_folder(const std::string& name) {
  constexpr const char* kUsual = "/tmp";
  const char* const named = std::getenv("TMPDIR");
  try {
    return make_private_folder(named == nullptr || *named == '\0' ? kUsual : named, name);
  } catch (const OpenToOthers&) {
    return make_private_folder(kUsual, name);
  }
}

} // namespace memviz
