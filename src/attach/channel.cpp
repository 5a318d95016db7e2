#include "attach/channel.hpp"

#include "attach/proc_files.hpp"
#include "attach/unix_address.hpp"
#include "base/whole_number.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

namespace memviz::attach {

namespace {

namespace fs = std::filesystem;

constexpr time_t kSecondsToConnect = 5;

/// Returns where the channels of a user may be. The environment of the job may have been another one.
std::vector<fs::path> folders_of(uid_t user) {
  std::vector<fs::path> folders;
  if (const char* const runtime = std::getenv("XDG_RUNTIME_DIR"); runtime != nullptr && *runtime == '/')
    folders.push_back(fs::path(runtime) / "memviz");
  folders.emplace_back(fmt::format("/run/user/{}/memviz", user));
  folders.emplace_back(fmt::format("/tmp/memviz-{}", user));
  return folders;
}

/// Whether only this user can have put anything there.
bool is_private(const fs::path& folder, uid_t user) {
  constexpr mode_t kOthers = 077;
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == user &&
         (status.st_mode & kOthers) == 0;
}

/// Returns the number of a PID namespace, from "pid:[4026531836]".
std::string namespace_number(pid_t id) {
  const std::string link = proc_link(id, "ns/pid");
  const std::size_t open = link.find('[');
  return open == std::string::npos ? "" : link.substr(open + 1, link.find(']') - open - 1);
}

/// Returns the process id as the process itself sees it.
std::string own_number(pid_t id) {
  const std::string numbers = status_field(id, "NSpid"); // from the outermost namespace that this process sees
  return numbers.substr(numbers.find_last_of(" \t") + 1);
}

/// Whether the process itself listens there, and not one that had its number before.
bool is_of(const Descriptor& connection, const Process& process) {
  ucred other{};
  socklen_t size = sizeof other;
  return ::getsockopt(connection.number(), SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.uid == process.user &&
         other.pid == process.id;
}

std::optional<Descriptor> connected(const fs::path& path) {
  const auto address = unix_address(path);
  if (!address) return std::nullopt;
  Descriptor connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!connection.is_open()) return std::nullopt;
  const timeval patience{kSecondsToConnect, 0}; // if many are waiting
  ::setsockopt(connection.number(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (::connect(connection.number(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) == 0)
    return connection;
  if (errno == ECONNREFUSED) ::unlink(path.c_str()); // of a process that was killed
  return std::nullopt;
}

} // namespace

std::optional<Descriptor> channel_of(const Process& process) {
  const std::string name = fmt::format("{}-{}", namespace_number(process.id), own_number(process.id));
  for (const fs::path& folder : folders_of(process.user)) {
    if (!is_private(folder, process.user)) continue;
    auto connection = connected(folder / name);
    if (connection && is_of(*connection, process)) return connection;
  }
  return std::nullopt;
}

std::vector<pid_t> processes_with_channels() {
  std::vector<pid_t> found;
  const std::string beginning = namespace_number(::getpid()) + '-';
  for (const fs::path& folder : folders_of(::geteuid())) {
    if (!is_private(folder, ::geteuid())) continue;
    for (const std::string& name : names_in(folder)) {
      if (!name.starts_with(beginning)) continue;
      const auto id = whole_number<pid_t>(std::string_view(name).substr(beginning.size()));
      if (id && is_running(*id)) found.push_back(*id);
    }
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

} // namespace memviz::attach
