#pragma once

// The environment of the program -> what libmemviz_inject.so records and where it writes.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace memviz::inject {

struct Options {
  /// MEMVIZ_OUT: a folder, or a file name in which %p is the process id and %r the reason ("exit", "signal", "oom").
  std::filesystem::path out = ".";
  /// MEMVIZ_MAX_ENTRIES: calls of the driver kept in the history; the oldest are dropped. Live memory is always kept.
  std::size_t max_entries = 500'000;
  /// MEMVIZ_MAX_BYTES: bound on the host memory of history and stacks.
  std::size_t max_bytes = std::size_t{256} << 20U;
  /// MEMVIZ_STACK_DEPTH: frames kept of each stack, at most kMaxStackDepth; 0 records no stacks.
  std::size_t stack_depth = 64;
  /// MEMVIZ_SIGNAL: "USR1", "SIGUSR2" or a number; a snapshot is written when it arrives. 0: none.
  int signal = 0;
  /// MEMVIZ_OOM_DUMPS: snapshots written at failed allocations, at most.
  std::size_t oom_dumps = 3;
  /// One line for each variable that could not be read; its default stands.
  std::vector<std::string> warnings;
};

inline constexpr std::size_t kMaxStackDepth = 128;

/// `variable` returns the value of an environment variable, or nullptr; std::getenv does.
[[nodiscard]] Options read_options(const std::function<const char*(const char*)>& variable);

/// The path of a snapshot, which does not exist yet when `number` is high enough: a number above 0 is put before the
/// extension.
[[nodiscard]] std::filesystem::path snapshot_path(const Options& options, int process, const std::string& reason,
                                                  std::size_t number);

} // namespace memviz::inject
