// A record is a letter, an absolute path and a zero byte, appended with one write(2), so that a process that is killed
// loses none: r, a file that was opened to be read; s, one whose size or time was asked for; w, one that was opened to
// be written, or got its name; a, one that was not there; f, a folder; p, the program of a process that begins; n, a
// connection to another machine. The functions call the system directly: the C library's may not be there yet when a
// program begins.
#include "opened_files.hpp"

#include "abi.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace memviz::rehearsal {
namespace {

constexpr std::size_t kMostPathBytes = 4096;
using Path = std::array<char, 2 * kMostPathBytes>;

// The file of the records; empty if there is none. A program may change its environment.
std::array<char, kMostPathBytes> records{};

// Whether a record was made before, or one with the same hash: these are lost at a chance of 2^-64.
bool is_known(const char* record, std::size_t size) {
  static std::array<std::atomic<std::uint64_t>, 1U << 14U> seen{};
  std::uint64_t hash = 14695981039346656037U;
  for (std::size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<unsigned char>(record[i])) * 1099511628211U;
  return seen[hash % seen.size()].exchange(hash, std::memory_order_relaxed) == hash;
}

void append(const char* record, std::size_t size) {
  if (is_known(record, size)) return;
  const long file = syscall(SYS_openat, AT_FDCWD, records.data(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  static_cast<void>(syscall(SYS_write, file, record, size + 1));
  syscall(SYS_close, file);
}

// Writes the folder that `folder` is open as, or the current one; returns its length.
std::size_t folder_of(int folder, char* room) {
  if (folder == AT_FDCWD) {
    const long size = syscall(SYS_getcwd, room, kMostPathBytes);
    return size > 0 ? static_cast<std::size_t>(size) - 1 : 0;
  }
  std::array<char, 32> link{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", folder);
  const long size = syscall(SYS_readlinkat, AT_FDCWD, link.data(), room, kMostPathBytes);
  return size > 0 ? static_cast<std::size_t>(size) : 0;
}

// Whether a path is of the system's own view of processes and devices, which is another one each time.
bool is_of_system(const char* path) {
  for (const char* const folder : {"/proc/", "/sys/", "/dev/"})
    if (std::strncmp(path, folder, std::strlen(folder)) == 0) return true;
  return false;
}

void note(char kind, int folder, const char* path) {
  if (records[0] == 0 || path == nullptr || *path == 0) return;
  const int error = errno;
  Path record{};
  std::size_t size = 0;
  record[size++] = kind;
  if (*path != '/') {
    size += folder_of(folder, record.data() + size);
    record[size++] = '/';
  }
  const std::size_t length = strnlen(path, kMostPathBytes);
  std::memcpy(record.data() + size, path, length);
  size += length;
  if (!is_of_system(record.data() + 1)) append(record.data(), size);
  errno = error;
}

bool is_absent(int error) {
  return error == ENOENT || error == ENOTDIR;
}

int opened(int folder, const char* path, int flags, mode_t mode) {
  const auto file = static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
  const bool is_written = (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
  if (file < 0 && is_absent(errno)) note('a', folder, path);
  if (file >= 0 && (flags & O_DIRECTORY) == 0) note(is_written ? 'w' : 'r', folder, path);
  return file;
}

int asked(int folder, const char* path, long result, const mode_t* mode) {
  if (result < 0 && is_absent(errno)) note('a', folder, path);
  if (result == 0 && mode != nullptr && S_ISREG(*mode)) note('s', folder, path);
  if (result == 0 && mode != nullptr && S_ISDIR(*mode)) note('f', folder, path);
  return static_cast<int>(result);
}

int status_of(int folder, const char* path, struct stat* status, int flags) {
  const long result = syscall(SYS_newfstatat, folder, path, status, flags);
  return asked(folder, path, result, result == 0 ? &status->st_mode : nullptr);
}

// A name that the process gave to a file or folder.
int named(int folder, const char* name, long result) {
  if (result == 0) note('w', folder, name);
  return static_cast<int>(result);
}

using OpenStream = std::FILE* (*)(const char*, const char*);

std::FILE* opened_stream(const char* function, const char* path, const char* mode) {
  auto* const open_stream = reinterpret_cast<OpenStream>(dlsym(RTLD_NEXT, function));
  if (open_stream == nullptr) {
    errno = ENOSYS;
    return nullptr;
  }
  std::FILE* const stream = open_stream(path, mode);
  const bool is_written = std::strpbrk(mode, "wa+") != nullptr;
  if (stream != nullptr) note(is_written ? 'w' : 'r', AT_FDCWD, path);
  if (stream == nullptr && is_absent(errno)) note('a', AT_FDCWD, path);
  return stream;
}

// Whether the other end of a connection is on this machine: then both ends have one address.
bool is_local(int descriptor, const sockaddr* address) {
  if (address == nullptr || (address->sa_family != AF_INET && address->sa_family != AF_INET6)) return true;
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  if (getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size) != 0) return false;
  if (own.ss_family != address->sa_family) return false;
  if (address->sa_family == AF_INET) {
    const auto& here = reinterpret_cast<const sockaddr_in&>(own).sin_addr;
    const auto& there = reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    return (ntohl(there.s_addr) >> 24U) == IN_LOOPBACKNET || here.s_addr == there.s_addr;
  }
  const auto& here = reinterpret_cast<const sockaddr_in6&>(own).sin6_addr;
  const auto& there = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return IN6_IS_ADDR_LOOPBACK(&there) || std::memcmp(&here, &there, sizeof here) == 0;
}

// Datagrams reveal nothing: programs connect them to learn their own address, and wait for no answer.
bool is_datagram(int descriptor) {
  int type = 0;
  socklen_t size = sizeof type;
  return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type != SOCK_STREAM;
}

int note_library(dl_phdr_info* module, std::size_t, void*) {
  if (module->dlpi_name != nullptr && *module->dlpi_name == '/') note('r', AT_FDCWD, module->dlpi_name);
  return 0;
}

__attribute__((constructor)) void begin_records() {
  const char* const file = std::getenv("MEMVIZ_REHEARSAL_READS");
  if (file == nullptr || *file != '/' || std::strlen(file) >= records.size()) return;
  std::memcpy(records.data(), file, std::strlen(file) + 1);
  std::array<char, kMostPathBytes + 1> program{};
  if (readlink("/proc/self/exe", program.data(), kMostPathBytes) > 0) {
    note('p', AT_FDCWD, program.data());
    note('r', AT_FDCWD, program.data());
  }
}

__attribute__((destructor)) void end_records() {
  note_libraries();
}

} // namespace

void note_libraries() {
  if (records[0] != 0) dl_iterate_phdr(note_library, nullptr);
}

} // namespace memviz::rehearsal

// Named apart from the C library's declarations, which differ between its versions.
#define REPLACES(name) __asm__(#name)

using namespace memviz::rehearsal;

// The mode follows if a file may be created.
#define MODE_AFTER(flags)                                                                                              \
  mode_t mode = 0;                                                                                                     \
  if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) {                                                    \
    va_list rest;                                                                                                      \
    va_start(rest, flags);                                                                                             \
    mode = va_arg(rest, mode_t);                                                                                       \
    va_end(rest);                                                                                                      \
  }

#define OPENS(name)                                                                                                    \
  MEMVIZ_EXPORT int memviz_##name(const char* path, int flags, ...) REPLACES(name);                                    \
  int memviz_##name(const char* path, int flags, ...) {                                                                \
    MODE_AFTER(flags)                                                                                                  \
    return opened(AT_FDCWD, path, flags, mode);                                                                        \
  }
#define OPENS_IN(name)                                                                                                 \
  MEMVIZ_EXPORT int memviz_##name(int folder, const char* path, int flags, ...) REPLACES(name);                        \
  int memviz_##name(int folder, const char* path, int flags, ...) {                                                    \
    MODE_AFTER(flags)                                                                                                  \
    return opened(folder, path, flags, mode);                                                                          \
  }
// Called without a mode by programs that the compiler fortified.
#define OPENS_ONLY(name)                                                                                               \
  MEMVIZ_EXPORT int memviz_##name(const char* path, int flags) REPLACES(name);                                         \
  int memviz_##name(const char* path, int flags) {                                                                     \
    return opened(AT_FDCWD, path, flags, 0);                                                                           \
  }
#define CREATES(name)                                                                                                  \
  MEMVIZ_EXPORT int memviz_##name(const char* path, mode_t mode) REPLACES(name);                                       \
  int memviz_##name(const char* path, mode_t mode) {                                                                   \
    return opened(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);                                                 \
  }
#define OPENS_STREAM(name)                                                                                             \
  MEMVIZ_EXPORT std::FILE* memviz_##name(const char* path, const char* mode) REPLACES(name);                           \
  std::FILE* memviz_##name(const char* path, const char* mode) {                                                       \
    return opened_stream(#name, path, mode);                                                                           \
  }
#define ASKS(name, flags)                                                                                              \
  MEMVIZ_EXPORT int memviz_##name(const char* path, struct stat* status) REPLACES(name);                               \
  int memviz_##name(const char* path, struct stat* status) {                                                           \
    return status_of(AT_FDCWD, path, status, flags);                                                                   \
  }
#define ASKS_IN(name)                                                                                                  \
  MEMVIZ_EXPORT int memviz_##name(int folder, const char* path, struct stat* status, int flags) REPLACES(name);        \
  int memviz_##name(int folder, const char* path, struct stat* status, int flags) {                                    \
    return status_of(folder, path, status, flags);                                                                     \
  }
// Called by programs that were built with a C library before 2.33.
#define ASKS_BY_VERSION(name, flags)                                                                                   \
  MEMVIZ_EXPORT int memviz_##name(int, const char* path, struct stat* status) REPLACES(name);                          \
  int memviz_##name(int, const char* path, struct stat* status) {                                                      \
    return status_of(AT_FDCWD, path, status, flags);                                                                   \
  }
#define ASKS_IN_BY_VERSION(name)                                                                                       \
  MEMVIZ_EXPORT int memviz_##name(int, int folder, const char* path, struct stat* status, int flags) REPLACES(name);   \
  int memviz_##name(int, int folder, const char* path, struct stat* status, int flags) {                               \
    return status_of(folder, path, status, flags);                                                                     \
  }

OPENS(open)
OPENS(open64)
OPENS_IN(openat)
OPENS_IN(openat64)
OPENS_ONLY(__open_2)
OPENS_ONLY(__open64_2)
CREATES(creat)
CREATES(creat64)
OPENS_STREAM(fopen)
OPENS_STREAM(fopen64)
ASKS(stat, 0)
ASKS(stat64, 0)
ASKS(lstat, AT_SYMLINK_NOFOLLOW)
ASKS(lstat64, AT_SYMLINK_NOFOLLOW)
ASKS_IN(fstatat)
ASKS_IN(fstatat64)
ASKS_BY_VERSION(__xstat, 0)
ASKS_BY_VERSION(__xstat64, 0)
ASKS_BY_VERSION(__lxstat, AT_SYMLINK_NOFOLLOW)
ASKS_BY_VERSION(__lxstat64, AT_SYMLINK_NOFOLLOW)
ASKS_IN_BY_VERSION(__fxstatat)
ASKS_IN_BY_VERSION(__fxstatat64)

MEMVIZ_EXPORT int memviz_statx(int folder, const char* path, int flags, unsigned mask, void* status) REPLACES(statx);
int memviz_statx(int folder, const char* path, int flags, unsigned mask, void* status) {
  // The mode is at the same place in all versions of the structure (linux/stat.h).
  constexpr std::size_t kModeAt = 28;
  const long result = syscall(SYS_statx, folder, path, flags, mask, status);
  std::uint16_t short_mode = 0;
  if (result == 0) std::memcpy(&short_mode, static_cast<const char*>(status) + kModeAt, sizeof short_mode);
  const mode_t mode = short_mode;
  return asked(folder, path, result, result == 0 ? &mode : nullptr);
}

MEMVIZ_EXPORT int memviz_access(const char* path, int mode) REPLACES(access);
int memviz_access(const char* path, int mode) {
  const long result = syscall(SYS_access, path, mode);
  if (result != 0 || records[0] == 0) return asked(AT_FDCWD, path, result, nullptr);
  struct stat status {};
  const bool is_known = syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0;
  return is_known ? asked(AT_FDCWD, path, 0, &status.st_mode) : 0;
}

MEMVIZ_EXPORT int memviz_rename(const char* from, const char* to) REPLACES(rename);
int memviz_rename(const char* from, const char* to) {
  return named(AT_FDCWD, to, syscall(SYS_rename, from, to));
}

MEMVIZ_EXPORT int memviz_renameat(int from_folder, const char* from, int to_folder, const char* to) REPLACES(renameat);
int memviz_renameat(int from_folder, const char* from, int to_folder, const char* to) {
  return named(to_folder, to, syscall(SYS_renameat, from_folder, from, to_folder, to));
}

MEMVIZ_EXPORT int memviz_mkdir(const char* path, mode_t mode) REPLACES(mkdir);
int memviz_mkdir(const char* path, mode_t mode) {
  return named(AT_FDCWD, path, syscall(SYS_mkdir, path, mode));
}

MEMVIZ_EXPORT int memviz_mkdirat(int folder, const char* path, mode_t mode) REPLACES(mkdirat);
int memviz_mkdirat(int folder, const char* path, mode_t mode) {
  return named(folder, path, syscall(SYS_mkdirat, folder, path, mode));
}

MEMVIZ_EXPORT int memviz_symlink(const char* target, const char* path) REPLACES(symlink);
int memviz_symlink(const char* target, const char* path) {
  return named(AT_FDCWD, path, syscall(SYS_symlink, target, path));
}

MEMVIZ_EXPORT int memviz_link(const char* from, const char* to) REPLACES(link);
int memviz_link(const char* from, const char* to) {
  return named(AT_FDCWD, to, syscall(SYS_link, from, to));
}

MEMVIZ_EXPORT int memviz_connect(int descriptor, const sockaddr* address, socklen_t size) REPLACES(connect);
int memviz_connect(int descriptor, const sockaddr* address, socklen_t size) {
  const auto result = static_cast<int>(syscall(SYS_connect, descriptor, address, size));
  const int error = errno;
  if (records[0] != 0 && !is_local(descriptor, address) && !is_datagram(descriptor)) note('n', AT_FDCWD, "/network");
  errno = error;
  return result;
}
