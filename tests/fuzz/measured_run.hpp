#pragma once

// Runs a command in a separate process and measures it.

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::fuzz {

struct MeasuredRun {
  std::uint64_t peak_bytes = 0;  ///< of resident memory, including the program itself and its files' pages
  double user_seconds = 0;       ///< of processors, which other load affects less than wall time
  std::uint64_t error_bytes = 0; ///< on standard error
  std::string error;             ///< the beginning of that
  int exit_code = -1;            ///< -1: ended by a signal, or could not be started
};

/// `words` are the program and its arguments. Standard input and output are empty. Stops it at 6 GiB of addresses or a
/// minute of processor time.
[[nodiscard]] MeasuredRun measured_run(const std::vector<std::string>& words);

} // namespace memviz::fuzz
