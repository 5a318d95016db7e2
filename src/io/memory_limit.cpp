#include "io/memory_limit.hpp"

#include "io/base64_text.hpp"
#include "io/decompress.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
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

/// Whether the content is larger than the file, by its first bytes.
bool is_compressed(const fs::path& file) {
  std::array<char, 64> head{};
  std::ifstream(file, std::ios::binary).read(head.data(), head.size());
  const std::string_view bytes(head.data(), head.size());
  const std::string decoded = base64_head(bytes); // of something compressed, as mails carry it
  return compression_of(bytes) != Compression::none || bytes.starts_with("PK\x03\x04") ||
         compression_of(decoded) != Compression::none || decoded.starts_with("PK\x03\x04");
}

/// Returns kNoLimit for a pipe or a missing file.
std::uint64_t bytes_for_file(const fs::path& file) {
  constexpr std::uint64_t kForByte = 80;
  constexpr std::uint64_t kForCompressedByte = 800;
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50U;
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return kNoLimit;
  const std::uint64_t bytes = fs::file_size(file, error);
  if (error) return kNoLimit;
  return std::min(bytes, kMostBytes) * (is_compressed(file) ? kForCompressedByte : kForByte);
}

std::uint64_t sum_within_limits(std::uint64_t one, std::uint64_t other) {
  return one > kNoLimit - other ? kNoLimit : one + other;
}

std::uint64_t bytes_for_input(const std::string& input) {
  std::error_code error;
  if (input == "-") return bytes_for_file("/dev/stdin");
  if (!fs::is_directory(input, error)) return bytes_for_file(input);
  std::uint64_t sum = 0;
  for (auto entry = fs::recursive_directory_iterator(input, error); entry != fs::recursive_directory_iterator();
       entry.increment(error))
    if (entry->is_regular_file(error)) sum = sum_within_limits(sum, bytes_for_file(entry->path()));
  return sum;
}

/// Returns the bytes that a new thread's stack counts, of which it touches few.
std::uint64_t stack_bytes() {
  constexpr std::uint64_t kUsual = std::uint64_t{8} << 20U;
  rlimit limit{};
  const bool is_known = ::getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return is_known ? static_cast<std::uint64_t>(limit.rlim_cur) : kUsual;
}

std::mutex& lifting() {
  static std::mutex mutex;
  return mutex;
}

} // namespace

MemoryLimit::MemoryLimit(std::uint64_t bytes, unsigned threads) {
  // RLIMIT_DATA instead of address space: since Linux 4.7 it counts private mappings, from which malloc takes large
  // pieces, but neither mapped files nor merely reserved address space.
  if (::getrlimit(RLIMIT_DATA, &before_) != 0) return;
  bytes = sum_within_limits(bytes, std::uint64_t{threads} * stack_bytes());
  const rlimit limit{static_cast<rlim_t>(std::min<std::uint64_t>(bytes, before_.rlim_cur)), before_.rlim_max};
  is_set_ = ::setrlimit(RLIMIT_DATA, &limit) == 0;
}

MemoryLimit::~MemoryLimit() {
  if (is_set_) ::setrlimit(RLIMIT_DATA, &before_);
}

MemoryLimitLifted::MemoryLimitLifted() : lock_(lifting()) {
  ::getrlimit(RLIMIT_DATA, &before_);
  rlimit lifted = before_;
  lifted.rlim_cur = lifted.rlim_max;
  ::setrlimit(RLIMIT_DATA, &lifted);
}

MemoryLimitLifted::~MemoryLimitLifted() {
  ::setrlimit(RLIMIT_DATA, &before_);
}

std::uint64_t usual_memory_limit(const std::vector<std::string>& inputs, std::uint64_t main_memory_bytes) {
  constexpr std::uint64_t kLeast = std::uint64_t{256} << 20U;
  std::uint64_t bytes = std::uint64_t{64} << 20U;
  for (const std::string& input : inputs)
    bytes = sum_within_limits(bytes, bytes_for_input(input));
  return std::max(kLeast, std::min(bytes, main_memory_bytes / 4));
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
