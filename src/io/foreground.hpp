#pragma once

// A program of the user's that runs in our place: with our standard streams unless asked otherwise, in our process
// group, so that the terminal treats it like one that was started without us. For POSIX; no shell is involved.

#include "memviz/ending.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

/// Names and values that replace or join those of our own environment.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs `words[0]`, looked for on the PATH, and waits for its end. Meanwhile every signal that another process sends to
/// this one goes on to it, except SIGKILL and SIGSTOP, which no process can handle, and those of faults; those of the
/// terminal reach it anyway. What it writes to standard output and
/// standard error goes to the descriptor `output`, where there is one. Throws UsageError where there is no such
/// program.
[[nodiscard]] Ending run_in_foreground(const std::vector<std::string>& words, const Variables& variables,
                                       std::optional<int> output = {});

/// Called when the program of this index ends. Returns whether the others are ended as well, by SIGTERM.
using OnEnd = std::function<bool(std::size_t index)>;

/// The most programs that run at once.
constexpr std::size_t kMostPrograms = 64;

/// Runs a program several times at once, once for each of `variables`, at most kMostPrograms. Returns as soon as all
/// have ended. Throws as the function for one program does.
[[nodiscard]] std::vector<Ending> run_in_foreground(const std::vector<std::string>& words,
                                                    const std::vector<Variables>& variables, const OnEnd& on_end);

/// Becomes the program: it takes the place of this process, with its number, its parent and its streams, so that
/// signals and exit codes are its own. Returns only where that failed, with the error's number.
[[nodiscard]] int become(const std::vector<std::string>& words, const Variables& variables);

/// "SIGKILL", "signal 35"
[[nodiscard]] std::string signal_name(int number);

} // namespace memviz
