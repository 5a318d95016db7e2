#pragma once

// A Baseline <-> the JSON of at most 100 KB that is kept in a repository.

#include "memviz/baseline.hpp"

#include <string>
#include <string_view>

namespace memviz {

/// Returns at most 100 KB: the lines that hold least are left out, and counted as the rest. Throws Error where the
/// names of recordings and settings alone take more.
[[nodiscard]] std::string baseline_json(const Baseline& baseline);

/// Reads what baseline_json() wrote. Throws Error.
[[nodiscard]] Baseline read_baseline_json(std::string_view json);

/// Whether bytes begin as baseline_json() does.
[[nodiscard]] bool is_baseline_json(std::string_view bytes);

} // namespace memviz
