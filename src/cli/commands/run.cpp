#include "answers/choice.hpp"
#include "answers/sizes.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/messages.hpp"
#include "hooks/hook_folder.hpp"
#include "io/foreground.hpp"
#include "io/program.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <system_error>

namespace memviz::cli {

namespace {

namespace fs = std::filesystem;

struct RunCommand : CommandOptions {
  std::string folder = "memviz-run";
  std::optional<std::string> partial;
  std::uint64_t max_entries = 100'000;
  bool python_only = false;
  bool always = false;
  std::optional<std::string> signal;
};

/// The signals that no system sends.
const Choices<std::string> kSignals{{"USR1", "USR1"}, {"USR2", "USR2"}};

std::uint64_t parse_entries(std::string_view option, const std::string& word) {
  constexpr std::uint64_t kMost = 1'000'000'000;
  return parse_count(option, word, 1, kMost);
}

OptionList<RunCommand> run_options() {
  return joined<RunCommand>(
      {{verbatim({"dir", '\0', "FOLDER",
                  "the folder of the snapshots (default: memviz-run); created with the first one, no file is replaced"},
                 &RunCommand::folder),
        verbatim({"partial", '\0', "FOLDER",
                  "also write a part of each snapshot for `memviz ranks` there, at most 8 KB: a folder that all nodes "
                  "share"},
                 &RunCommand::partial),
        parsed({"max-entries", '\0', "N", "the number of events kept in each device's history (default: 100000)"},
               &RunCommand::max_entries, parse_entries),
        flag({"python-only", '\0', "",
              "record stacks without C++ frames: cheaper, but the kind of memory of the backward pass is then unknown"},
             &RunCommand::python_only),
        flag({"always", '\0', "", "also leave a snapshot at the end of a process that no exception ends"},
             &RunCommand::always),
        one_of<RunCommand, std::optional<std::string>, std::string>(
            {"signal", '\0', "USR1|USR2",
             "also leave a snapshot when a process receives this signal; a handler of the program stays"},
            &RunCommand::signal, kSignals)},
       within<RunCommand>(&RunCommand::file, {help_option<FileOptions>()})});
}

/// Returns the path by which programs find a folder from any working directory.
std::string in_full(const std::string& folder) {
  std::error_code error;
  const fs::path path = fs::absolute(folder, error);
  if (error) throw Error("cannot resolve the path of " + folder + ": " + error.message());
  return path.string();
}

Variables environment(const RunCommand& options) {
  const std::string hook = hooks::lasting_hook().string();
  const char* const own = std::getenv("PYTHONPATH");
  Variables variables{
      {"PYTHONPATH", own == nullptr || *own == '\0' ? hook : hook + ':' + own},
      {"MEMVIZ_PROGRAM", own_file().string()},
      {"MEMVIZ_RECORD", "1"},
      {"MEMVIZ_RECORD_DIR", in_full(options.folder)},
      {"MEMVIZ_RECORD_MAX_ENTRIES", std::to_string(options.max_entries)},
      {"MEMVIZ_RECORD_STACKS", options.python_only ? "python" : "all"},
  };
  if (options.partial) variables.emplace_back("MEMVIZ_RECORD_PARTIAL", in_full(*options.partial));
  if (options.always) variables.emplace_back("MEMVIZ_RECORD_ALWAYS", "1");
  if (options.signal) variables.emplace_back("MEMVIZ_RECORD_SIGNAL", *options.signal);
  return variables;
}

/// A program that cannot be recorded is run all the same.
Variables environment_or_none(const RunCommand& options) {
  try {
    return environment(options);
  } catch (const Error& error) {
    say_message(fmt::format("nothing is recorded: {}", error.what()));
    return {};
  }
}

int run_run(const RunCommand& options) {
  if (options.folder.empty() || options.folder == "-")
    throw UsageError("--dir must be a folder, which gets a snapshot from each process that runs out of memory");
  if (options.partial && (options.partial->empty() || *options.partial == "-"))
    throw UsageError("--partial must be a folder, which gets a part of each snapshot");
  const int error = become(options.operands, environment_or_none(options));
  // The exit code as shells report it.
  constexpr int kNoProgram = 127;
  constexpr int kNotStarted = 126;
  const std::string& program = options.operands.front();
  say_message(error == ENOENT ? "no such program: " + program
                              : fmt::format("{} cannot be started: {}", program, system_message(error)));
  return error == ENOENT ? kNoProgram : kNotStarted;
}

} // namespace

Command run_command() {
  const CommandText text{
      .name = "run",
      .operands = "[options] -- PROGRAM [ARGUMENT...]",
      .summary = "run a program unchanged; if it runs out of GPU memory, write a snapshot and explain why",
      .text =
          "Replaces itself with the program, which keeps its signals, streams and exit code. Each Python process "
          "in it keeps a bounded history of PyTorch's CUDA allocator from the first use of CUDA. At an "
          "out-of-memory error it writes a snapshot, prints the output of `memviz explain --brief` to standard "
          "error, and lets the error continue. Without an error nothing is written, unless you ask for it: `memviz "
          "attach PID` takes a snapshot of a process at any time, and --always and --signal leave others. With the "
          "Python package installed, MEMVIZ_RECORD=1 does the same for programs that are started otherwise; "
          "MEMVIZ_RECORD_DIR, MEMVIZ_RECORD_MAX_ENTRIES, MEMVIZ_RECORD_PARTIAL, MEMVIZ_RECORD_ALWAYS and "
          "MEMVIZ_RECORD_SIGNAL are its options. Each snapshot also has the paths from variables to the tensors that "
          "they keep, except with MEMVIZ_KEEPERS=0. Exit code 127 if there is no such program, 126 if it cannot be "
          "started.",
      .examples = "  memviz run -- python train.py\n"
                  "  memviz run --dir /scratch/oom -- torchrun --nproc-per-node 8 train.py\n"
                  "  srun memviz run --dir /local/oom --partial /shared/parts -- python train.py\n"
                  "  MEMVIZ_RECORD=1 MEMVIZ_RECORD_DIR=/scratch/oom python train.py\n",
      .takes_program = true,
  };
  return command(text, run_options(), run_run);
}

} // namespace memviz::cli
