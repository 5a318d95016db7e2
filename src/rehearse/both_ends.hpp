#pragma once

// A program -> the least and the most memory that what the made-up GPU leaves open allows, by running it twice. The
// order of host and GPU: memory that another stream uses is free when that stream's work is done, at the earliest when
// it is submitted, at the latest when the host waits for it. And the values that the program reads: all zeros, so that
// nothing is selected, or small ones computed, where a mask that is not known selects everything.

#include "rehearse/rehearsal_run.hpp"

#include <functional>
#include <vector>

namespace memviz::rehearse {

/// Rehearses one way: with this setup, and these variables in the environment. One verdict a process that memviz runs.
using RunOneWay = std::function<std::vector<FitVerdict>(const Setup& setup, const Variables& variables)>;

/// Rehearses at both ends of the order where the setup asks for that, and with zeros and with values where it leaves
/// that to memviz and a process reads values that may decide its way, except for inference servers. Returns a verdict
/// for each process: of the way that takes more, with the figures of the other; where one way gave no answer, of the
/// other; where no value is made up, of the way with values. Snapshots of the second way are in `late/` and `values/`
/// of the output folder, and kept where they differ.
[[nodiscard]] std::vector<FitVerdict> rehearse_both_ways(const Setup& setup, const RunOneWay& run);

} // namespace memviz::rehearse
