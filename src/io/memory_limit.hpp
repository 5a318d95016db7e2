#pragma once

// The maximum memory that the program may take from the system. The only code that sets a limit, for POSIX.

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

namespace memviz {

// A sanitizer reserves memory that counts as the program's, so no limit would leave it any.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kCanLimitMemory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool kCanLimitMemory = false;
#else
inline constexpr bool kCanLimitMemory = true;
#endif
#else
inline constexpr bool kCanLimitMemory = true;
#endif

/// A limit for the lifetime of this object. It does not raise one that is already there.
class MemoryLimit {
public:
  /// Makes an allocation that would take the program's data over `bytes`, and the stacks of `threads` threads, fail
  /// with std::bad_alloc. Mapped input files are not data: their pages can be released at any time.
  explicit MemoryLimit(std::uint64_t bytes, unsigned threads = 0);
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;
  ~MemoryLimit();

  /// Whether the system accepted it.
  [[nodiscard]] bool is_set() const noexcept { return is_set_; }

private:
  rlimit before_{};
  bool is_set_ = false;
};

/// Lifts the limit during its lifetime, for a program that is started meanwhile and would inherit it.
class MemoryLimitLifted {
public:
  MemoryLimitLifted();
  MemoryLimitLifted(const MemoryLimitLifted&) = delete;
  MemoryLimitLifted& operator=(const MemoryLimitLifted&) = delete;
  ~MemoryLimitLifted();

private:
  std::unique_lock<std::mutex> lock_;
  rlimit before_{};
};

/// Returns the memory that the work on these inputs may take unless the user says otherwise: 64 MiB and 80 bytes for
/// each byte of the files and of those in folders, 800 for each byte of a compressed file or a zip archive; at least
/// 256 MiB, and at most a quarter of `main_memory_bytes`, which is also the limit for a pipe, because its size is
/// unknown.
[[nodiscard]] std::uint64_t usual_memory_limit(const std::vector<std::string>& inputs, std::uint64_t main_memory_bytes);

/// Returns the main memory that this process can have: that of the machine, or what its control group allows (as
/// containers and batch systems do). Larger inputs are not read or decompressed into memory.
[[nodiscard]] std::uint64_t main_memory_bytes();

/// Returns the lowest limit of the control groups that `self`, the text of /proc/self/cgroup, names in the file systems
/// below `root`, version 1 or 2; the largest number if there is none. Source: Documentation/admin-guide/cgroup-v2.rst
/// and cgroup-v1/memory.rst, Linux.
[[nodiscard]] std::uint64_t control_group_bytes(const std::filesystem::path& root, std::string_view self);

} // namespace memviz
