#pragma once

// Bytes step by step, as a series of numbers -> where it begins to grow, how fast, and how far that is from chance. All
// of it is robust against outliers, and takes time proportional to the steps.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace memviz {

using Series = std::vector<double>;

[[nodiscard]] Series series_of(std::span<const std::uint64_t> bytes);

/// Removes rises that are few, far larger than the others, and never reversed: one-time allocations of the program.
[[nodiscard]] Series without_leaps(Series series);

/// Returns the index from which the series grows: 0, or where a flat part ends. This is the best fit of "flat, then a
/// line", if it is clearly better than a line alone (Bayesian information criterion).
[[nodiscard]] std::size_t start_of_growth(std::span<const double> series);

/// Returns the median slope between each step and the one half of the steps later (Theil's incomplete method): up to a
/// quarter of the steps may be arbitrary. Needs at least two numbers.
[[nodiscard]] double robust_slope(std::span<const double> series);

/// Returns how far the mean change is from zero, in standard errors, like Student's t for many steps. The changes are
/// those between at most 16 windows, so that a random walk has a fair chance to turn back. 0 for fewer than four
/// numbers.
[[nodiscard]] double drift(std::span<const double> series);

} // namespace memviz
