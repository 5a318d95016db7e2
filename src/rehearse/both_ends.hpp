#pragma once

// A program -> the least and the most memory that the order of host and GPU allows. Memory that another stream uses is
// free when that stream's work is done: at the earliest when it is submitted, at the latest when the host waits for it.

#include "rehearse/rehearsal_run.hpp"

#include <string>
#include <vector>

namespace memviz::rehearse {

/// Runs the program at both ends. Returns the verdict of the end that takes more, with the figures of the other; where
/// the program gave no answer at the earliest, that alone. Snapshots of the latest are in `late/` of the output folder,
/// and kept where both ends differ.
[[nodiscard]] FitVerdict rehearse_both_ends(const Setup& setup, const std::vector<std::string>& words,
                                            const Variables& variables);

} // namespace memviz::rehearse
