#pragma once

// The most memory that the program may take from the system. The one place that sets a limit, for POSIX.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace memviz {

/// From now on an allocation that would take the program's data over `bytes` fails with std::bad_alloc. Mapped input
/// files are not data: their pages can be given back at any time. Throws Error where the system refuses.
void limit_memory(std::uint64_t bytes);

/// Bytes of main memory that this process can have: those of the machine, or what its control group leaves it (as
/// containers and batch systems do). More than that is not read or decompressed into memory.
[[nodiscard]] std::uint64_t main_memory_bytes();

/// The least limit of the control groups that `self`, the text of /proc/self/cgroup, names in the file systems below
/// `root`, version 1 or 2; the largest number where there is none.
/// Source: Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst, Linux.
[[nodiscard]] std::uint64_t control_group_bytes(const std::filesystem::path& root, std::string_view self);

} // namespace memviz
