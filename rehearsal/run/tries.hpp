#pragma once

// A rehearsal that does not fit -> the same with what `explain` would change, to see whether it then runs to its end.

#include "run/rehearsal_run.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// Rehearses the changes that may let the program go on: `verdict` is that of the unchanged program, which took `took`.
/// Adds those that do to its `tried`, and takes untried advice about all of them out of its words. Each run ends three
/// optimizer steps after the one that failed unless `setup` has a number of steps, and after a multiple of `took`.
/// Throws as rehearse() does.
void try_changes(const Setup& setup, const std::vector<std::string>& words, FitVerdict& verdict,
                 std::chrono::seconds took);

} // namespace memviz::rehearse
