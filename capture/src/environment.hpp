#pragma once

// The environment of the program -> what is recorded and where it is written, for recordings that are not requested in
// code: libmemviz_inject.so and EnvironmentRecording.

#include "process_name.hpp"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace memviz::capture {

struct EnvironmentOptions {
  /// MEMVIZ_RECORD: 1 requests an EnvironmentRecording.
  bool is_on = false;
  /// MEMVIZ_OUT: a folder, or a file name in which %p is the process id, %r the reason ("exit", "signal", "oom",
  /// "reset"), %n the rank, 0 without one, %h the host, and %t the time in UTC.
  std::filesystem::path out = ".";
  /// MEMVIZ_MAX_ENTRIES: the size of the history, which drops the oldest: for libmemviz_inject.so calls of the driver,
  /// for a Recorder events of a device. Live memory is always kept.
  std::size_t max_entries = 500'000;
  /// MEMVIZ_MAX_BYTES: bound on the host memory of history and stacks.
  std::size_t max_bytes = std::size_t{256} << 20U;
  /// MEMVIZ_STACK_DEPTH: frames kept of each stack, at most kMaxStackDepth; 0 records no stacks.
  std::size_t stack_depth = 64;
  /// MEMVIZ_SIGNAL: "USR1", "SIGUSR2" or a number; a snapshot is written when it arrives. 0: none.
  int signal = 0;
  /// MEMVIZ_OOM_DUMPS: snapshots written at failed allocations, at most.
  std::size_t oom_dumps = 3;
  std::optional<std::string> rank; ///< find_rank()
  std::string host = "host";       ///< host_name()
  /// One line for each variable that could not be read; its default applies.
  std::vector<std::string> warnings;
};

inline constexpr std::size_t kMaxStackDepth = 128;

/// Returns `defaults` with the changes that `variable` gives.
[[nodiscard]] EnvironmentOptions read_environment(const Variable& variable, EnvironmentOptions defaults = {});

/// Returns the path of a snapshot, which does not exist yet if `number` is high enough: a number above 0 is inserted
/// before the extension.
[[nodiscard]] std::filesystem::path snapshot_path(const EnvironmentOptions& options, int process,
                                                  const std::string& reason, std::size_t number);

/// Returns the first snapshot_path() that does not exist; creates it empty, so that no other process or thread gets the
/// same. Throws std::runtime_error, with the path, if it cannot be created.
[[nodiscard]] std::filesystem::path reserve_snapshot_path(const EnvironmentOptions& options, int process,
                                                          const std::string& reason);

} // namespace memviz::capture
