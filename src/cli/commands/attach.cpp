#include "attach/attach.hpp"

#include "answers/sizes.hpp"
#include "attach/channel.hpp"
#include "base/whole_number.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/messages.hpp"
#include "cli/frame/outputs.hpp"
#include "io/signals.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace memviz::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFolder = "memviz-attach";

struct AttachCommand : CommandOptions {
  std::optional<std::string> output;
  std::optional<std::string> json;
  bool is_brief = false;
  bool is_all = false;
  attach::AttachRequest request;
};

double parse_seconds(std::string_view option, const std::string& word) {
  constexpr std::uint64_t kMostSeconds = 24 * 3600;
  return static_cast<double>(parse_count(option, word, 1, kMostSeconds));
}

OptionList<AttachCommand> attach_options() {
  const OptionList<attach::AttachRequest> request{
      parsed({"record", '\0', "SECONDS",
              "turn history on for this time if it is off, and off again, so that the snapshot has stacks and events"},
             &attach::AttachRequest::record_seconds, parse_seconds),
      flag({"wait", '\0', "", "wait as long as it takes for the process to execute Python code; otherwise --timeout"},
           &attach::AttachRequest::waits),
      parsed({"timeout", '\0', "SECONDS", "the time for the process to begin to answer (default: 10)"},
             &attach::AttachRequest::timeout_seconds, parse_seconds)};
  return joined<AttachCommand>(
      {{verbatim({"output", 'o', "FILE|FOLDER",
                  "the file of the snapshot; with --all a folder (default: a new file in the folder memviz-attach)"},
                 &AttachCommand::output)},
       within<AttachCommand>(&AttachCommand::request, request),
       {flag({"all", '\0', "",
              "take a snapshot of each process of yours that has an NVIDIA GPU open or that memviz records"},
             &AttachCommand::is_all),
        flag({"brief", '\0', "", "explain the snapshot as `memviz explain --brief` does"}, &AttachCommand::is_brief),
        json_option(&AttachCommand::json, "of `memviz explain`, instead of the text")},
       within<AttachCommand>(&AttachCommand::file, general_options())});
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &parts)};
}

/// Returns a name in the folder that no file has, and creates the folder.
std::string new_file(const fs::path& folder, pid_t id) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(fmt::format("{}: {}", folder.string(), error.message()));
  const std::string stem = (folder / fmt::format("{}-{}", id, now())).string();
  std::string path = stem + ".pickle";
  for (int number = 2; fs::exists(path, error); ++number)
    path = fmt::format("{}-{}.pickle", stem, number);
  return path;
}

bool is_folder(const std::string& path) {
  std::error_code unknown;
  return path.ends_with('/') || fs::is_directory(path, unknown);
}

/// Returns the folder that gets a new file; nullopt if a file is named.
std::optional<fs::path> folder_for(const AttachCommand& options) {
  std::string output = options.output.value_or(kFolder);
  if (!options.output || options.is_all || is_folder(output)) return output;
  return std::nullopt;
}

/// Writes the snapshot of a process; returns its file. A signal that arrives meanwhile has its effect at the end, when
/// the process is as before.
std::string written_snapshot(const AttachCommand& options, pid_t id) {
  const SignalDelay until_it_is_left;
  const auto folder = folder_for(options);
  if (!folder) naming_output(*options.output, [&] { check_output(*options.output); });
  std::string path;
  std::optional<OutputFile> file;
  attach::take_snapshot(id, options.request, [&](std::string_view piece) {
    if (!file) {
      path = folder ? new_file(*folder, id) : *options.output;
      naming_output(path, [&] { file.emplace(path); });
    }
    naming_output(path, [&] { file->write(piece); });
  });
  if (!file) throw Error(fmt::format("process {} answered with an empty snapshot", id));
  naming_output(path, [&] { file->commit(); });
  return path;
}

int explained(const AttachCommand& options, const std::vector<std::string>& files) {
  // The moment is now, also for a recording whose peak or error was before, and the executed files are on this machine.
  std::vector<std::string> words{"--at", "end", "--source", "/", "--quiet"};
  if (options.is_brief) words.emplace_back("--brief");
  if (options.json) words.insert(words.end(), {"--json", *options.json});
  if (const auto& limit = options.file.max_memory) words.insert(words.end(), {"--max-memory", limit->word});
  if (options.file.are_threads_given) words.insert(words.end(), {"--threads", std::to_string(options.file.threads)});
  words.emplace_back("--");
  words.insert(words.end(), files.begin(), files.end());
  return explain_command().run(words);
}

pid_t parse_process(const std::string& word) {
  const auto id = whole_number<pid_t>(word);
  if (!id || *id <= 0)
    throw UsageError(fmt::format("'{}' is not a process id; those of yours: pgrep -au $USER python", word));
  return *id;
}

std::vector<pid_t> all_processes() {
  const std::vector<pid_t> recorded = attach::processes_with_channels();
  const std::vector<pid_t> on_gpu = attach::own_gpu_processes();
  std::set<pid_t> found(recorded.begin(), recorded.end());
  found.insert(on_gpu.begin(), on_gpu.end());
  if (found.empty()) throw Error("no process of yours has an NVIDIA GPU open, and memviz records none");
  return {found.begin(), found.end()};
}

/// A process that cannot be asked does not keep the others from being asked.
int attach_to_all(const AttachCommand& options) {
  std::vector<std::string> files;
  int exit_code = kSuccess;
  for (const pid_t id : all_processes()) {
    try {
      files.push_back(written_snapshot(options, id));
      options.file.advise(fmt::format("the snapshot of process {}: {}", id, files.back()));
    } catch (const Error& error) {
      say_message(error.what());
      exit_code = kBadData;
    }
  }
  return files.empty() ? exit_code : std::max(exit_code, explained(options, files));
}

int run_attach(const AttachCommand& given) {
  AttachCommand options = given;
  options.request.say = [&](const std::string& message) { options.file.say(message); };
  std::error_code unreadable;
  if (options.is_all && options.output && !is_folder(*options.output) && fs::exists(*options.output, unreadable))
    throw UsageError("-o must be a folder with --all");
  if (options.output == "-" || options.output == "") throw UsageError("-o must be a file or a folder");
  try {
    if (options.is_all) return attach_to_all(options);
    const std::string file = written_snapshot(options, parse_process(options.operands.front()));
    options.file.advise("the snapshot: " + file);
    return explained(options, {file});
  } catch (const attach::Interrupted&) {
    throw Error("interrupted"); // by a signal that SignalDelay has let through before
  }
}

} // namespace

Command attach_command() {
  const CommandText text{
      .name = "attach",
      .operands = "PID [options]",
      .summary = "what holds the memory of a job that runs now: a snapshot of it, explained",
      .text =
          "Asks a running Python process for a snapshot of PyTorch's GPU memory, writes it to a file and explains it "
          "as `memviz explain` does, at this moment. A process that `memviz run`, `memviz_torch.record()` or "
          "MEMVIZ_RECORD=1 records answers directly. Others are reached through Python 3.14 or newer, else through "
          "gdb or lldb, which stops them for about a second; without recording, a snapshot has no stacks of what was "
          "allocated before. The program goes on, and nothing is left in it. Exit code 1 if the process cannot be "
          "reached, with a sentence that says what is missing.",
      .examples = "  memviz attach 4711\n"
                  "  memviz attach 4711 --record 30 -o now.pickle\n"
                  "  memviz attach --all --brief\n",
      .stands_alone = "all",
      .takes_process = true,
  };
  return command(text, attach_options(), run_attach);
}

} // namespace memviz::cli
