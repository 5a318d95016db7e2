// The library as a program sees it: loaded, called by name, in a separate process for each case.
#pragma once

#include <array>
#include <csignal>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <functional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace memviz::rehearsal {

template <typename Function> Function* function(const char* name) {
  void* const library = dlopen(MEMVIZ_REHEARSAL_LIBRARY, RTLD_NOW);
  return library ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

struct Outcome {
  int status;
  std::string errors;
};

// Runs `body` in a child and returns what it wrote to stderr. The child exits with body's result.
inline Outcome in_child(const std::function<int()>& body) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    signal(SIGSEGV, SIG_DFL); // not the test program's own handler
    _exit(body());
  }
  close(ends[1]);
  std::string errors;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = read(ends[0], buffer.data(), buffer.size())) > 0;)
    errors.append(buffer.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return {status, errors};
}

using Malloc = int(void**, std::size_t);
using Memcpy = int(void*, const void*, std::size_t, int);

} // namespace memviz::rehearsal
