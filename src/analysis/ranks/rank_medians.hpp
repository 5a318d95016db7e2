#pragma once

// Ranks of a group -> their medians by line, and the differences of a rank from these.

#include "analysis/ranks/moved_rank_lines.hpp"
#include "analysis/ranks/rank_groups.hpp"
#include "memviz/ranks.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

/// The memory of all ranks by line, with a number for each line.
struct RankTable {
  using ByKind = std::map<std::pair<LineId, MemoryKind>, std::uint64_t>;

  std::vector<std::string> lines; ///< by LineId
  std::vector<RankRow> rows;      ///< by index of JobReport::ranks
  std::vector<ByKind> kinds;      ///< the same, at the moment of each rank
};

[[nodiscard]] RankTable rank_table(const JobReport& report, const RankLineNames& names);

/// Returns the medians of the total and of each line and kind of `group`, with the minimum and maximum of its members'
/// totals.
[[nodiscard]] RankGroup group_of(const RankTable& table, std::vector<std::size_t> members);

/// For an even number of values, the mean of the two middle ones; 0 for none.
[[nodiscard]] std::uint64_t median_of(std::vector<std::uint64_t> values);
[[nodiscard]] std::uint64_t distance(std::uint64_t one, std::uint64_t other);
[[nodiscard]] std::int64_t signed_difference(std::uint64_t from, std::uint64_t taken);
/// Returns the smallest difference that counts among ranks that hold this much: 1 MiB or 0.5 %.
[[nodiscard]] std::uint64_t least_difference(std::uint64_t total_bytes);

/// Bytes by line, ascending by line.
using LineBytes = std::vector<std::pair<LineId, std::uint64_t>>;
/// Returns 0 for a line that is not in `entries`.
[[nodiscard]] std::uint64_t bytes_of(const LineBytes& entries, LineId line);

using LineMedians = std::map<std::pair<std::string_view, MemoryKind>, std::uint64_t>;
[[nodiscard]] LineMedians medians_by_line(const RankGroup& group);
/// Returns the kind of which these ranks hold most in a line, each at its moment.
[[nodiscard]] MemoryKind usual_kind(const RankTable& table, const std::vector<std::size_t>& ranks, LineId line);
/// Returns the kind of a line that differs most, among communication buffers alone if requested.
[[nodiscard]] MemoryKind main_kind(const RankTable& table, const LineMedians& medians, std::size_t rank, LineId line,
                                   bool is_communication);
/// Adds up the lines of a difference, and puts the largest first.
void sort_lines(RankDifference& difference);

/// Returns all differences of a rank from the medians of `group`, largest first, without those below the 1 MiB or 0.5 %
/// of outliers.
[[nodiscard]] RankDifference difference_of(const RankTable& table, std::size_t rank, const RankGroup& group);

/// Returns what a rank that ran out of memory held then in excess of the medians of the highest bytes of each line of
/// `group`. What it held less of says nothing: it failed in another phase.
[[nodiscard]] RankDifference excess_of(const RankTable& table, std::size_t rank, const RankGroup& group);

} // namespace memviz
