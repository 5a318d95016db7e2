// memviz_bench_measure: runs a command and prints what it took: seconds of wall clock, of user and of system time, peak
// resident memory in KiB, minor and major page faults. A program of its own because the peak of a process begins with
// that of whoever started it, which a Python interpreter would raise by 10 MB.

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

/// Discards the command's standard output; its standard error is shown.
[[noreturn]] void become(char** command) {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDOUT_FILENO);
  execvp(command[0], command);
  std::fprintf(stderr, "memviz_bench_measure: %s: %s\n", command[0], std::strerror(errno));
  _exit(127);
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: memviz_bench_measure COMMAND [ARGUMENT...]\n", stderr);
    return 2;
  }
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) become(argv + 1);
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) {
    std::perror("memviz_bench_measure");
    return 1;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "memviz_bench_measure: %s failed\n", argv[1]);
    return 1;
  }
  std::printf("%.6f %.6f %.6f %ld %ld %ld\n", wall.count(), seconds(used.ru_utime), seconds(used.ru_stime),
              used.ru_maxrss, used.ru_minflt, used.ru_majflt);
  return 0;
}
