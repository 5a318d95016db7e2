#include "io/memory_limit.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace memviz {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the number in a file; kNoLimit if there is no file, or a word in it ("max").
std::uint64_t number_in(const fs::path& path) {
  const std::string text = content_of(path);
  std::uint64_t number = kNoLimit;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// Returns the lowest limit of a group and all above it, up to the root of the hierarchy. A container may see its group
/// as the root.
std::uint64_t least_limit(const fs::path& hierarchy, fs::path group, const char* file) {
  std::uint64_t least = number_in(hierarchy / file);
  for (; !group.empty(); group = group.parent_path())
    least = std::min(least, number_in(hierarchy / group / file));
  return least;
}

} // namespace

void limit_memory(std::uint64_t bytes) {
  rlimit limit{};
  // RLIMIT_DATA instead of address space: since Linux 4.7 it counts private mappings, from which malloc takes large
  // pieces, but neither mapped files nor merely reserved address space.
  if (::getrlimit(RLIMIT_DATA, &limit) == 0) {
    limit.rlim_cur = static_cast<rlim_t>(std::min<std::uint64_t>(bytes, limit.rlim_max));
    if (::setrlimit(RLIMIT_DATA, &limit) == 0) return;
  }
  throw Error("the memory of the program cannot be limited: " + system_message(errno));
}

std::uint64_t control_group_bytes(const std::filesystem::path& root, std::string_view self) {
  std::uint64_t least = kNoLimit;
  while (!self.empty()) {
    const std::string_view line = self.substr(0, self.find('\n'));
    self.remove_prefix(std::min(line.size() + 1, self.size()));
    // "0::/user.slice/x" of version 2, "4:memory:/docker/y" of version 1
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first == std::string_view::npos ? first : first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    if (controllers.empty()) least = std::min(least, least_limit(root, group, "memory.max"));
    if (controllers == "memory") least = std::min(least, least_limit(root / "memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

std::uint64_t main_memory_bytes() {
  constexpr std::uint64_t kUnknown = std::uint64_t{1} << 36U;
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  const bool is_known = pages > 0 && page_bytes > 0;
  const std::uint64_t machine =
      is_known ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) : kUnknown;
  return std::min(machine, control_group_bytes("/sys/fs/cgroup", content_of("/proc/self/cgroup")));
}

} // namespace memviz
