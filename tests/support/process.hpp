#pragma once

// A command line -> the result of the real memviz program.

#include "support/files.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace memviz::test {

struct Outcome {
  int exit_code = -1; ///< 128 + the signal's number for a program that a signal ended
  std::string out;
  std::string err;
  std::size_t peak_bytes = 0; ///< of main memory; at least what the test program itself used
};

/// Runs the memviz that this build made, in the current directory, with `input` on standard input.
[[nodiscard]] Outcome run(const std::vector<std::string>& arguments, std::string_view input = {});

/// A memviz that runs concurrently with the test. Its output goes to files, unless `output` or `input` is a descriptor.
class Process {
public:
  struct Setup {
    int input = -1;                  ///< descriptor; -1 is /dev/null
    int output = -1;                 ///< descriptor; -1 is a file
    std::size_t file_size_limit = 0; ///< RLIMIT_FSIZE; 0 is none
    bool is_traced = false;          ///< stopped until run_until() or let_go()
  };
  explicit Process(const std::vector<std::string>& arguments, const Setup& setup);
  explicit Process(const std::vector<std::string>& arguments) : Process(arguments, Setup{}) {}
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// Ends it, if it still runs.
  ~Process();

  [[nodiscard]] pid_t id() const { return id_; }
  /// Lets a traced one run from one system call to the next until `is_there`, and stops it there. Returns false if it
  /// ended before. Linux only.
  [[nodiscard]] bool run_until(const std::function<bool()>& is_there);
  /// Lets a traced one continue, as if it had received `signal`.
  void let_go(int signal = 0);
  void send(int signal) const;
  /// Waits for its end.
  [[nodiscard]] Outcome wait();

private:
  TemporaryFolder folder_;
  pid_t id_ = -1;
};

/// A memviz on a terminal: its three streams are the same.
class TerminalProcess {
public:
  TerminalProcess(const std::vector<std::string>& arguments, unsigned short columns, const std::string& kind = "xterm");
  TerminalProcess(const TerminalProcess&) = delete;
  TerminalProcess& operator=(const TerminalProcess&) = delete;
  ~TerminalProcess();

  /// Returns the output so far, at most `milliseconds` later.
  [[nodiscard]] const std::string& shown(int milliseconds);
  void send(int signal) const;
  /// Waits for its end; `out` is its whole output.
  [[nodiscard]] Outcome wait();

private:
  int terminal_ = -1;
  pid_t id_ = -1;
  std::string shown_;
};

} // namespace memviz::test
