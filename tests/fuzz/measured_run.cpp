#include "measured_run.hpp"

#include <array>
#include <fcntl.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace memviz::fuzz {
namespace {

[[noreturn]] void become(const std::vector<std::string>& words, int error_end) {
  const rlimit addresses{std::uint64_t{6} << 30U, std::uint64_t{6} << 30U};
  const rlimit seconds{60, 60};
  setrlimit(RLIMIT_AS, &addresses);
  setrlimit(RLIMIT_CPU, &seconds);
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  dup2(error_end, STDERR_FILENO);
  std::vector<char*> pointers;
  for (const std::string& word : words)
    pointers.push_back(const_cast<char*>(word.c_str())); // execv does not change them
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  _exit(127);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

} // namespace

MeasuredRun measured_run(const std::vector<std::string>& words) {
  constexpr std::size_t kMostErrorBytes = 400;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) become(words, ends[1]);
  close(ends[1]);
  MeasuredRun run;
  std::array<char, 4096> piece{};
  for (ssize_t size = 0; (size = read(ends[0], piece.data(), piece.size())) > 0;) {
    run.error_bytes += static_cast<std::uint64_t>(size);
    if (run.error.size() < kMostErrorBytes) run.error.append(piece.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  run.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) << 10U;
  run.user_seconds = seconds_of(usage.ru_utime);
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return run;
}

} // namespace memviz::fuzz
