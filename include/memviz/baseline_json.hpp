#pragma once

// A Baseline <-> JSON of at most 100 KB, to keep in a repository.

#include "memviz/baseline.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// Returns at most 100 KB: the smallest lines are omitted and counted as the rest. Throws Error if the names of
/// recordings and settings alone take more.
[[nodiscard]] std::string baseline_json(const Baseline& baseline);

/// Reads the output of baseline_json(). Throws Error.
[[nodiscard]] Baseline read_baseline_json(std::string_view json);

/// Whether bytes begin like the output of baseline_json().
[[nodiscard]] bool is_baseline_json(std::string_view bytes);

} // namespace memviz
