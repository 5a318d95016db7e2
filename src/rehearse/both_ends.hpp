#pragma once

// A program -> the least and the most memory that the order of host and GPU allows. Memory that another stream uses is
// free when that stream's work is done: at the earliest when it is submitted, at the latest when the host waits for it.

#include "rehearse/rehearsal_run.hpp"

#include <functional>
#include <vector>

namespace memviz::rehearse {

/// Rehearses at one end: with this setup, and these variables in the environment. One verdict a process that memviz
/// runs.
using RunOneEnd = std::function<std::vector<FitVerdict>(const Setup& setup, const Variables& variables)>;

/// Rehearses at both ends. Returns of each process the verdict of the end that takes more, with the figures of the
/// other; where a process gave no answer at the earliest, that end alone. Snapshots of the latest are in `late/` of the
/// output folder, and kept where both ends differ.
[[nodiscard]] std::vector<FitVerdict> rehearse_both_ends(const Setup& setup, const RunOneEnd& run);

} // namespace memviz::rehearse
