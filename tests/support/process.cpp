#include "support/process.hpp"

#include "support/files.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace memviz::test {

namespace {

/// Files instead of pipes: nothing to poll, and no output is too long.
class Redirections {
public:
  Redirections() { posix_spawn_file_actions_init(&actions_); }
  Redirections(const Redirections&) = delete;
  Redirections& operator=(const Redirections&) = delete;
  ~Redirections() { posix_spawn_file_actions_destroy(&actions_); }
  void redirect(int descriptor, const std::string& path, int flags) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, path.c_str(), flags, 0600);
  }
  [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
  posix_spawn_file_actions_t actions_{};
};

Outcome spawned(const std::vector<std::string>& arguments, const Redirections& redirections) {
  std::vector<std::string> words{MEMVIZ_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);

  pid_t child = 0;
  if (posix_spawn(&child, MEMVIZ_BINARY, redirections.get(), nullptr, pointers.data(), environ) != 0)
    throw std::runtime_error("cannot start " MEMVIZ_BINARY);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  Outcome outcome;
  outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.peak_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  return outcome;
}

} // namespace

Outcome run(const std::vector<std::string>& arguments, std::string_view input) {
  const TemporaryFolder folder;
  write_bytes(folder / "in", input);
  Redirections redirections;
  redirections.redirect(STDIN_FILENO, folder / "in", O_RDONLY);
  redirections.redirect(STDOUT_FILENO, folder / "out", O_WRONLY | O_CREAT);
  redirections.redirect(STDERR_FILENO, folder / "err", O_WRONLY | O_CREAT);
  Outcome outcome = spawned(arguments, redirections);
  outcome.out = read_bytes(folder / "out");
  outcome.err = read_bytes(folder / "err");
  return outcome;
}

} // namespace memviz::test
