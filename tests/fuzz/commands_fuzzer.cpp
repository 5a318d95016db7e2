// Any file -> what the program itself writes of it: the commands, formats and views of its own tables, a few for each
// input, chosen by the input. Each ends with a result or an error, and never with a complaint about its options.

#include "cli/dispatch.hpp"
#include "cli/messages.hpp"
#include "measured_commands.hpp"
#include "require.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace memviz;

namespace {

/// Returns all commands, with each table that `export` writes.
std::vector<fuzz::MeasuredStep> all_steps() {
  constexpr std::size_t kTables = 16; // at least as many as there are
  std::vector<fuzz::MeasuredStep> steps;
  for (std::size_t table = 0; table < kTables; ++table)
    for (fuzz::MeasuredStep& step : fuzz::measured_steps(fuzz::FileKind::snapshot, table))
      if (std::ranges::find(steps, step.words, &fuzz::MeasuredStep::words) == steps.end())
        steps.push_back(std::move(step));
  return steps;
}

std::string file_for(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/dev/shm/memviz-fuzz-" + std::to_string(getpid()) + ".pickle";
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  fuzz::require(static_cast<bool>(file.flush()), "room for the input", path);
  return path;
}

/// Runs a command line as main() does.
int exit_code_of(const std::vector<std::string>& words) {
  try {
    return cli::run_command_line(words);
  } catch (const std::exception& error) {
    return cli::report(error);
  }
}

void run_step(const fuzz::MeasuredStep& step, const std::string& file) {
  std::vector<std::string> words = step.words;
  std::ranges::replace(words, std::string("FILE"), file);
  const int exit_code = exit_code_of(words);
  fuzz::require(exit_code == 0 || exit_code == 1 || exit_code == 3, "a result or an error", step.name);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kStepsForInput = 3;
  static const std::vector<fuzz::MeasuredStep> steps = all_steps();
  const std::string file = file_for(data, size);
  std::size_t choice = size;
  for (std::size_t i = 0; i < size; ++i)
    choice = choice * 31 + data[i];
  for (std::size_t i = 0; i < kStepsForInput; ++i)
    run_step(steps[(choice + i * (steps.size() / kStepsForInput)) % steps.size()], file);
  return 0;
}
