#pragma once

// Names of files -> the ranks that wrote them, and the steps in which they did.

#include "memviz/ranks.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz {

struct NamedRank {
  std::optional<std::uint64_t> rank = {};
  RankSource source = RankSource::none;
};

/// Returns the rank of each path. Throws UsageError for a `pattern` that is not a regular expression with one group.
[[nodiscard]] std::vector<NamedRank> ranks_of_names(const std::vector<std::string>& paths, const std::string& pattern);

/// Returns the step of a name such as "step_100", "iteration_7" or "epoch0".
[[nodiscard]] std::optional<std::uint64_t> step_of_name(std::string_view path);

} // namespace memviz
