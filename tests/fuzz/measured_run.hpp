#pragma once

// Runs a command in its own process and says what it took.

#include <cstdint>
#include <string>
#include <vector>

namespace memviz::fuzz {

struct MeasuredRun {
  std::uint64_t peak_bytes = 0;  ///< of resident memory, the program itself and the pages of its files included
  double user_seconds = 0;       ///< of processors, which a busy machine changes less than the time that passes
  std::uint64_t error_bytes = 0; ///< on standard error
  std::string error;             ///< the beginning of that
  int exit_code = -1;            ///< -1: it was ended by a signal, or could not be started
};

/// `words` are the program and its arguments. Standard input and output are nothing. What runs away is ended at 6 GiB
/// of addresses or a minute of processor time.
[[nodiscard]] MeasuredRun measured_run(const std::vector<std::string>& words);

} // namespace memviz::fuzz
