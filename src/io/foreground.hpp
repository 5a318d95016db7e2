#pragma once

// A program of the user's, run in our place: with our standard streams by default, in our process group, so
// that the terminal treats it as if it had been started directly. Several threads may each run one. For POSIX; no shell
// is involved.

#include "base/ending.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

/// Names and values that replace or join variables of our own environment.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs `words[0]`, searched for in PATH, and waits for its end. Meanwhile every signal that another process sends to
/// this one is forwarded to it, except SIGKILL and SIGSTOP, which cannot be handled, and those of faults; it receives
/// those of the terminal anyway. Its standard output and standard error go to the descriptor `output`, if given. Throws
/// UsageError if there is no such program.
[[nodiscard]] Ending run_in_foreground(const std::vector<std::string>& words, const Variables& variables,
                                       std::optional<int> output = {});

/// Called when the program with this index ends. Returns whether to end the others as well, by SIGTERM.
using OnEnd = std::function<bool(std::size_t index)>;

/// The maximum number of programs that run at once, in all threads.
constexpr std::size_t kMostPrograms = 1024;

/// Runs a program several times at once, once for each of `variables`. Returns as soon as all have ended. Their output
/// goes to `output`, and it throws, as the function for one program does; also Error if more than kMostPrograms would
/// run.
[[nodiscard]] std::vector<Ending> run_in_foreground(const std::vector<std::string>& words,
                                                    const std::vector<Variables>& variables, const OnEnd& on_end,
                                                    std::optional<int> output = {});

/// Ends all programs that run in the foreground of any thread, by SIGTERM, and until allow_programs() those that are
/// started later.
void end_programs();
void allow_programs();

/// Replaces this process with the program, which keeps the process id, the parent and the streams, so that signals and
/// exit codes are its own. Returns only if that failed, with the error number.
[[nodiscard]] int become(const std::vector<std::string>& words, const Variables& variables);

/// "SIGKILL", "signal 35"
[[nodiscard]] std::string signal_name(int number);

} // namespace memviz
