#pragma once

// The maximum memory that the program may take from the system. The only code that sets a limit, for POSIX.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace memviz {

/// Makes an allocation that would take the program's data over `bytes` fail with std::bad_alloc. Mapped input files are
/// not data: their pages can be released at any time. Throws Error if the system refuses.
void limit_memory(std::uint64_t bytes);

/// Returns the main memory that this process can have: that of the machine, or what its control group allows (as
/// containers and batch systems do). Larger inputs are not read or decompressed into memory.
[[nodiscard]] std::uint64_t main_memory_bytes();

/// Returns the lowest limit of the control groups that `self`, the text of /proc/self/cgroup, names in the file systems
/// below `root`, version 1 or 2; the largest number if there is none. Source: Documentation/admin-guide/cgroup-v2.rst
/// and cgroup-v1/memory.rst, Linux.
[[nodiscard]] std::uint64_t control_group_bytes(const std::filesystem::path& root, std::string_view self);

} // namespace memviz
