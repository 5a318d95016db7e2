#pragma once

// A process id -> what the system knows of the process, and whether this user may attach to it. For Linux: /proc.

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace memviz::attach {

/// A process that runs, in the same container as this one.
struct Process {
  pid_t id = 0;
  uid_t user = 0;
  gid_t group = 0;
};

/// Returns the process. Throws Error, with what to do, if there is none, if it is another user's, which only root may
/// attach to, if it is in another container, or if it is stopped.
[[nodiscard]] Process process_of(pid_t id);

/// Whether it still runs, as far as it can answer.
[[nodiscard]] bool is_running(pid_t id);

/// Throws Error, with what to do, if it is not a Python process, or if the system does not let this one trace it.
void check_traceable(const Process& process);

/// Returns the path of its interpreter, to be run as a program; nullopt if Python is embedded in another program.
[[nodiscard]] std::optional<std::string> interpreter_of(const Process& process);

/// Returns the address of a page that is free in it, far from all that it maps. Throws Error if it cannot be known.
[[nodiscard]] std::uint64_t free_page_of(const Process& process);

/// Returns the processes of this user that have an NVIDIA GPU open, in ascending order, without this one.
[[nodiscard]] std::vector<pid_t> own_gpu_processes();

} // namespace memviz::attach
