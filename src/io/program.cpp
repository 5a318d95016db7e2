#include "io/program.hpp"

#include "io/memory_limit.hpp"
#include "io/scratch_file.hpp"
#include "io/signals.hpp"
#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace memviz {

namespace {

/// A program that a signal ends together with this one.
class Started {
public:
  explicit Started(pid_t id) : id_(id) { end_on_signal(id); }
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
  ~Started() { end_on_signal(0); }

  /// Waits for its end; returns whether it succeeded.
  [[nodiscard]] bool has_succeeded() const {
    int status = 0;
    while (waitpid(id_, &status, 0) < 0)
      if (errno != EINTR) throw Error("waiting for a program: " + system_message(errno));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

private:
  pid_t id_;
};

std::string content_of(ScratchFile& file) {
  std::string bytes;
  file.read([&](std::string_view piece) { bytes += piece; });
  return bytes;
}

struct ProgramStreams {
  ScratchFile& input;
  const ScratchFile& output;
  const ScratchFile& errors;
};

enum class ProcessGroup { ours, its_own };

/// Starts the program with these standard streams, in our process group or in a new one; returns its id.
pid_t start(const std::vector<std::string>& words, const ProgramStreams& streams, ProcessGroup group) {
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str())); // posix_spawn does not write to them
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, streams.input.rewound(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, streams.errors.descriptor(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (group == ProcessGroup::its_own) posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t id = -1;
  const MemoryLimitLifted for_the_program;
  const int error = posix_spawnp(&id, arguments.front(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error(words.front() + ": " + system_message(error));
  return id;
}

} // namespace

bool has_program(const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos)
    return std::filesystem::is_regular_file(name, error) && access(name.c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin:/bin" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    if (access((std::string(folder) + '/' + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::filesystem::path own_file() {
  std::error_code error;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw Error("cannot find memviz's own file: /proc is missing");
  return program;
}

std::string output_of(const std::vector<std::string>& words, std::string_view input) {
  ScratchFile in;
  ScratchFile out;
  ScratchFile errors;
  in.write(input);
  std::optional<Started> program;
  {
    const SignalDelay until_it_is_known;
    program.emplace(start(words, {in, out, errors}, ProcessGroup::ours));
  }
  if (!program->has_succeeded()) {
    const std::string said = content_of(errors);
    throw Error(words.front() + " failed: " + said.substr(0, said.find('\n')));
  }
  return content_of(out);
}

std::string output_apart(const std::vector<std::string>& words, double seconds, const std::function<void()>& notify) {
  constexpr auto kPiece = std::chrono::milliseconds(20);
  ScratchFile in;
  ScratchFile out;
  const pid_t id = start(words, {in, out, out}, ProcessGroup::its_own);
  const std::chrono::duration<double> patience(seconds);
  const auto begin = std::chrono::steady_clock::now();
  bool is_late = false;
  const auto is_running = [&] {
    int status = 0;
    return waitpid(id, &status, WNOHANG) == 0;
  };
  while (is_running()) {
    std::this_thread::sleep_for(kPiece);
    if (!is_late && std::chrono::steady_clock::now() - begin > patience) {
      is_late = true;
      notify();
    }
  }
  return content_of(out);
}

} // namespace memviz
