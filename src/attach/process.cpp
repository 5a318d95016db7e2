#include "attach/process.hpp"

#include "attach/proc_files.hpp"
#include "base/whole_number.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace memviz::attach {

namespace {

namespace fs = std::filesystem;

/// Returns the letter of its state: 'Z' for one that has ended and that its parent has not asked for, 'T' for one that
/// is stopped, 't' by a debugger; '\0' if there is no such process.
char state_of(pid_t id) {
  const std::string state = status_field(id, "State");
  return state.empty() ? '\0' : state.front();
}

void check_same_container(pid_t id) {
  const std::string own = proc_link(::getpid(), "ns/mnt");
  const std::string other = proc_link(id, "ns/mnt");
  if (own == other || own.empty() || other.empty()) return;
  throw Error(fmt::format(
      "process {} runs in a container: run memviz in that container, for example with docker exec or kubectl exec",
      id));
}

void check_not_stopped(pid_t id) {
  const char state = state_of(id);
  if (state == 'T') throw Error(fmt::format("process {0} is stopped: let it continue first, with kill -CONT {0}", id));
  if (state == 't')
    throw Error(fmt::format("process {} is stopped by a debugger, process {}: end that one first", id,
                            status_field(id, "TracerPid")));
}

bool is_python_name(std::string_view name) {
  constexpr std::string_view kPython = "python";
  if (!name.starts_with(kPython)) return false;
  name.remove_prefix(kPython.size());
  return std::ranges::all_of(name, [](char one) {
    return std::isdigit(static_cast<unsigned char>(one)) != 0 || one == '.' || one == 't' || one == 'd';
  });
}

std::string program_name(const std::string& path) {
  constexpr std::string_view kDeleted = " (deleted)"; // replaced by an upgrade while it runs
  std::string name = fs::path(path).filename().string();
  if (name.ends_with(kDeleted)) name.resize(name.size() - kDeleted.size());
  return name;
}

bool is_python(const Process& process) {
  if (is_python_name(program_name(proc_link(process.id, "exe")))) return true;
  return proc_text(process.id, "maps").value_or("").find("/libpython") != std::string::npos;
}

/// Returns what forbids this process to trace another one of its user.
std::string reason_of_refusal() {
  const std::string scope = proc_text(::getpid(), "../sys/kernel/yama/ptrace_scope").value_or("0");
  if (scope.front() == '1' || scope.front() == '2')
    return fmt::format("the system lets only root attach to a running process (kernel.yama.ptrace_scope is {}): use "
                       "sudo memviz attach, or start the job with memviz run, which needs no such right",
                       scope.front());
  if (scope.front() == '3')
    return "the system lets no one attach to a running process (kernel.yama.ptrace_scope is 3): start the job with "
           "memviz run, which needs no such right";
  return "the system refuses access to its memory (a container needs the capability SYS_PTRACE): start the job with "
         "memviz run, which needs no such right";
}

/// Whether a file is the device of a GPU, such as /dev/nvidia0; not of the driver as a whole, /dev/nvidiactl.
bool is_gpu(std::string_view path) {
  constexpr std::string_view kDevice = "/dev/nvidia";
  return path.starts_with(kDevice) && path.size() > kDevice.size() &&
         std::isdigit(static_cast<unsigned char>(path[kDevice.size()])) != 0;
}

bool has_gpu_open(pid_t id) {
  return std::ranges::any_of(names_in(proc_path(id, "fd")),
                             [&](const std::string& name) { return is_gpu(proc_link(id, "fd/" + name)); });
}

} // namespace

Process process_of(pid_t id) {
  struct stat status {};
  const char state = state_of(id);
  if (::stat(proc_path(id, "").c_str(), &status) != 0 || state == '\0')
    throw Error(fmt::format("there is no process {} here; processes have other numbers in a container", id));
  if (state == 'Z' || state == 'X') throw Error(fmt::format("process {} has ended", id));
  const Process process{id, status.st_uid, status.st_gid};
  if (process.user != ::geteuid() && ::geteuid() != 0)
    throw Error(
        fmt::format("process {} belongs to another user: use sudo -u '#{}' memviz attach {}", id, process.user, id));
  check_same_container(id);
  check_not_stopped(id);
  return process;
}

bool is_running(pid_t id) {
  const char state = state_of(id);
  return state != '\0' && state != 'Z' && state != 'X';
}

void check_traceable(const Process& process) {
  if (!is_python(process)) throw Error(fmt::format("process {} is not a Python process", process.id));
  if (const std::string tracer = status_field(process.id, "TracerPid"); tracer != "0" && !tracer.empty())
    throw Error(fmt::format("process {} is being debugged by process {}: end that one first", process.id, tracer));
  // Reading this takes the right to trace, whatever decides about it.
  if (!proc_text(process.id, "syscall"))
    throw Error(fmt::format("cannot attach to process {}: {}", process.id, reason_of_refusal()));
}

std::optional<std::string> interpreter_of(const Process& process) {
  std::string path = proc_link(process.id, "exe");
  if (!is_python_name(fs::path(path).filename().string())) return std::nullopt;
  return path;
}

std::uint64_t free_page_of(const Process& process) {
  // Above what the system keeps free below all programs (vm.mmap_min_addr), below where programs are loaded. A page may
  // be left there of an earlier text that waits for the process to execute it.
  constexpr std::uint64_t kFirst = 0x100000;
  constexpr std::uint64_t kEnd = 0x200000;
  constexpr std::uint64_t kBytesOfPage = 0x1000;
  constexpr int kHexadecimal = 16;
  std::uint64_t page = kFirst;
  std::istringstream maps(proc_text(process.id, "maps").value_or(""));
  for (std::string line; std::getline(maps, line);) {
    const std::size_t dash = line.find('-');
    const auto begin = whole_number<std::uint64_t>(std::string_view(line).substr(0, dash), kHexadecimal);
    const auto end =
        whole_number<std::uint64_t>(std::string_view(line).substr(dash + 1, line.find(' ') - dash - 1), kHexadecimal);
    if (!begin || !end || *begin >= page + kBytesOfPage) break;
    page = std::max(page, *end);
  }
  if (page >= kEnd) throw Error(fmt::format("process {} has no free page below its program", process.id));
  return page;
}

std::vector<pid_t> own_gpu_processes() {
  std::vector<pid_t> found;
  for (const std::string& name : names_in("/proc")) {
    const auto id = whole_number<pid_t>(name);
    struct stat status {};
    const bool is_own =
        id && *id != ::getpid() && ::stat(proc_path(*id, "").c_str(), &status) == 0 && status.st_uid == ::geteuid();
    if (is_own && has_gpu_open(*id)) found.push_back(*id);
  }
  std::ranges::sort(found);
  return found;
}

} // namespace memviz::attach
