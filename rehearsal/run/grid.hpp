#pragma once

// Axes -> the points to run, in their order: all, except those that what has been run decides. Larger numbers are
// assumed to need more: what does not fit fits with no larger number either.

#include "verdict/fit_runs.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace memviz::rehearse {

/// Whether a program fits, as far as that can be known: the larger, the better.
enum class Fit : std::uint8_t { no, possibly, surely };

/// Runs a point, a value for each axis. Returns whether it fits; nullopt if there is no answer.
using RunPoint = std::function<std::optional<Fit>(const std::vector<std::string>& point)>;

/// Returns what runs the points of a lane: the rows that differ in doubled numbers alone.
using StartLane = std::function<RunPoint()>;

/// Runs the points of the axes in order, the last fastest, and no point twice. Searches the largest number by
/// bisection: tries the lowest first, then the highest, then those in between, and none after one without an answer,
/// unless it is below all that have one; where the largest fits possibly, then the largest that surely does. A
/// row at larger doubled numbers begins with the largest number that smaller ones have, and is left out where they have
/// none. With several `jobs` as many lanes run at once, each in a thread, and the points are the same; an exception
/// ends the others before their next lane.
void run_grid(const std::vector<Axis>& axes, const StartLane& start, std::size_t jobs = 1);

} // namespace memviz::rehearse
