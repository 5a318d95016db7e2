#pragma once

// A command line -> what the real memviz program does with it.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::test {

struct Outcome {
  int exit_code = -1; ///< 128 + the signal's number for a program that a signal ended
  std::string out;
  std::string err;
  std::size_t peak_bytes = 0; ///< of main memory; not less than what the test program itself had in use
};

/// Runs the memviz that this build made, in the current directory, with `input` on standard input.
[[nodiscard]] Outcome run(const std::vector<std::string>& arguments, std::string_view input = {});

/// The same, with standard output going to a file or device.
[[nodiscard]] Outcome run_into(const std::string& output, const std::vector<std::string>& arguments);

} // namespace memviz::test
