#pragma once

// A program -> the minimum and maximum memory that the unknowns of a made-up GPU allow, by running it twice. One
// unknown is the order of host and GPU: memory that another stream uses becomes free when that stream's work is done,
// at the earliest when it is submitted, at the latest when the host waits for it. The other is the values that the
// program reads: all zeros, so that nothing is selected, or small ones computed, with an unknown mask selecting
// everything.

#include "run/rehearsal_run.hpp"

#include <functional>
#include <vector>

namespace memviz::rehearse {

/// Rehearses once with this setup and these variables in the environment; returns a verdict per process that memviz
/// runs.
using RunOneWay = std::function<std::vector<FitVerdict>(const Setup& setup, const Variables& variables)>;

/// Rehearses at both ends of the order if the setup requests it, and with zeros and with values if the setup leaves
/// that to memviz and a process reads values that may decide its control flow, except for inference servers. Returns a
/// verdict for each process: of the run that takes more, with the figures of the other; if one run gave no answer, of
/// the other; if no value is made up, of the run with values. A run with values that computing them disturbed is never
/// the answer. Snapshots of the second run are in `late/` and `values/`
/// of the output folder, and kept only if they differ.
[[nodiscard]] std::vector<FitVerdict> rehearse_both_ways(const Setup& setup, const RunOneWay& run);

/// Whether somebody ended the run, with it all others: with --values=auto one of the two runs.
[[nodiscard]] bool is_interrupted(const FitVerdict& verdict);

/// Whether a verdict shows that similar programs need no run with zeros: the one with values is the answer, or equals
/// that with zeros and knows all that the program reads.
[[nodiscard]] bool need_values_alone(const FitVerdict& verdict);

} // namespace memviz::rehearse
