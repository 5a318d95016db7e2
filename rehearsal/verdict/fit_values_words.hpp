#pragma once

// A rehearsed program that reads values -> sentences about its two runs, with zeros and with values.

#include "verdict/fit.hpp"

#include <string>

namespace memviz::rehearse {

/// "was ended by SIGTERM", "ended with exit code 1"
[[nodiscard]] std::string ending_text(const Ending& ending);

/// Whether a real run is between this run and the other one, in which the program read other values.
[[nodiscard]] bool is_range(const FitVerdict& verdict);

/// Whether this run computed values and therefore did not compile the program.
[[nodiscard]] bool is_left_uncompiled(const FitVerdict& verdict);

/// Whether a real run may differ in an unknown way: values may decide the control flow of the program and only the run
/// with zeros is an answer, or it was left uncompiled.
[[nodiscard]] bool is_doubtful(const FitVerdict& verdict);
/// Whether it decided by made-up values, and no other run gives a range.
[[nodiscard]] bool rests_on_made_up(const FitVerdict& verdict);

/// "it waits at gen.py:8 for a value that is never computed"
[[nodiscard]] std::string waiting_text(const ReadLine& read);

/// Returns " An integer or condition that it reads at train.py:40 is unknown, so it may take more."; "" if there is
/// none, or if the program ran with zeros alone. For a doubtful verdict it names the lines whose values were zeros, or
/// the compiler.
[[nodiscard]] std::string unknown_text(const FitVerdict& verdict);

/// "This version of PyTorch compiles nothing while values are computed, so ...", for a run that was left uncompiled.
[[nodiscard]] std::string uncompiled_text(const FitVerdict& verdict);

/// Names the lines that read values which may decide the control flow, and compares the two runs.
[[nodiscard]] std::string decisions_text(const FitVerdict& verdict);

/// Counts the copies to the host, which return zeros or computed values, and names the lines that made most.
[[nodiscard]] std::string host_reads_text(const FitVerdict& verdict);

} // namespace memviz::rehearse
