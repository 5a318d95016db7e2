#pragma once

// Memory of ranks by line and kind -> groups of similar ranks: pipeline stages, experts, the first and the
// last one.

#include "memviz/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace memviz {

/// A number for each line that occurs in any part.
using LineId = std::uint32_t;

/// The memory of a rank, by line. Communication buffers are counted separately, because threads decide when they are
/// freed.
struct RankRow {
  std::optional<std::uint64_t> rank;
  std::uint64_t total_bytes = 0; ///< at its moment, without communication buffers
  /// Ascending by line: the most that each held, whatever the moment; where that is unknown, what it held at the
  /// moment.
  std::vector<std::pair<LineId, std::uint64_t>> lines;
  std::vector<std::pair<LineId, std::uint64_t>> persistent;    ///< parameters and optimizer state alone
  std::vector<std::pair<LineId, std::uint64_t>> communication; ///< not in `lines`
};

/// Returns groups of indices of `rows`, each ascending. Two ranks are alike if their persistent memory differs by at
/// most 0.5 % and comes from the same lines, and at most one line of at least 1 MiB, or 15 % of these lines, is in only
/// one of them. A group of eight or more is split where its totals jump, if that leaves whole runs of ranks.
[[nodiscard]] std::vector<std::vector<std::size_t>> rank_groups(const std::vector<RankRow>& rows);

} // namespace memviz
