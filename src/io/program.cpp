#include "io/program.hpp"

#include "io/system_message.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace memviz {

namespace {

/// A file without a name: unlike a pipe it takes all bytes at once, whoever waits for whom.
class Scratch {
public:
  Scratch() : file_(std::tmpfile(), std::fclose) {
    if (!file_) throw Error("no temporary file: " + system_message(errno));
  }

  void write(std::string_view bytes) {
    const bool is_written = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size();
    if (!is_written || std::fflush(file_.get()) != 0) throw Error("temporary file: " + system_message(errno));
    std::rewind(file_.get());
  }

  [[nodiscard]] std::string read() {
    std::rewind(file_.get());
    std::string bytes;
    std::array<char, 65536> piece{};
    while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file_.get()))
      bytes.append(piece.data(), count);
    if (std::ferror(file_.get()) != 0) throw Error("temporary file: " + system_message(errno));
    return bytes;
  }

  [[nodiscard]] int descriptor() const { return fileno(file_.get()); }

private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

/// Starts the program with these as its standard streams; returns its id.
pid_t start(const std::vector<std::string>& words, const Scratch& input, const Scratch& output, const Scratch& errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words)
    arguments.push_back(const_cast<char*>(word.c_str())); // posix_spawn does not write to them
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.descriptor(), STDERR_FILENO);
  pid_t id = -1;
  const int error = posix_spawnp(&id, arguments.front(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error(words.front() + ": " + system_message(error));
  return id;
}

/// Waits for its end; whether it went well.
bool has_succeeded(pid_t id) {
  int status = 0;
  while (waitpid(id, &status, 0) < 0)
    if (errno != EINTR) throw Error("waiting for a program: " + system_message(errno));
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

bool has_program(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::string_view folders = path == nullptr ? "/usr/bin:/bin" : path;
  while (!folders.empty()) {
    const std::string_view folder = folders.substr(0, folders.find(':'));
    folders.remove_prefix(std::min(folder.size() + 1, folders.size()));
    if (access((std::string(folder) + '/' + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string output_of(const std::vector<std::string>& words, std::string_view input) {
  Scratch in;
  Scratch out;
  Scratch errors;
  in.write(input);
  if (!has_succeeded(start(words, in, out, errors))) {
    const std::string said = errors.read();
    throw Error(words.front() + " failed: " + said.substr(0, said.find('\n')));
  }
  return out.read();
}

} // namespace memviz
