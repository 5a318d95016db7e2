#pragma once

// A run before it begins -> all that decides it, except for the files that it reads: the key of the cache of runs.

#include "run/rehearsal_run.hpp"

#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// Returns the command line, the working folder, both environments without the variables of a terminal or a session,
/// the profile, memviz and its made-up GPU by size and time, standard input, and the number of processors; as each of
/// `ranks`, or alone if null. The same text is the same run. Returns nullopt if standard input is a pipe.
[[nodiscard]] std::optional<std::string> question_of(const Setup& setup, const std::vector<std::string>& words,
                                                     const Variables& variables, const RankSet* ranks);

} // namespace memviz::rehearse
