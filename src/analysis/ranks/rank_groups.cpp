#include "analysis/ranks/rank_groups.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <iterator>

namespace memviz {
namespace {

using Members = std::vector<std::size_t>;
using Lines = std::vector<LineId>;

constexpr std::uint64_t kLeastLineBytes = std::uint64_t{1} << 20U;

/// The part of a rank that is compared with others.
struct Signature {
  std::uint64_t persistent_bytes = 0;
  Lines persistent; ///< lines of at least 1 MiB
  Lines all;
};

Lines large_lines(const std::vector<std::pair<LineId, std::uint64_t>>& held) {
  Lines lines;
  for (const auto& [line, bytes] : held)
    if (bytes >= kLeastLineBytes) lines.push_back(line);
  return lines;
}

Signature signature_of(const RankRow& row) {
  Signature signature{.persistent = large_lines(row.persistent), .all = large_lines(row.lines)};
  for (const auto& [line, bytes] : row.persistent)
    signature.persistent_bytes = saturating_sum(signature.persistent_bytes, bytes);
  return signature;
}

bool is_within_half_percent(std::uint64_t one, std::uint64_t other) {
  return std::max(one, other) - std::min(one, other) <= std::max(one, other) / 200;
}

/// A difference of one line is always allowed: it may be what makes a rank an outlier of its group.
bool has_most_lines_of(const Lines& one, const Lines& other) {
  Lines different;
  std::ranges::set_symmetric_difference(one, other, std::back_inserter(different));
  const std::size_t in_either = (one.size() + other.size() + different.size()) / 2;
  return different.size() <= 1 || different.size() * 100 <= in_either * 15;
}

bool is_alike(const Signature& one, const Signature& other) {
  return is_within_half_percent(one.persistent_bytes, other.persistent_bytes) && one.persistent == other.persistent &&
         has_most_lines_of(one.all, other.all);
}

/// Returns the number of runs of consecutive ranks; a file without a rank is a run.
std::size_t runs(const std::vector<RankRow>& rows, Members members) {
  std::ranges::sort(members, {}, [&](std::size_t i) { return rows[i].rank; });
  std::size_t count = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& rank = rows[members[i]].rank;
    const bool follows = i > 0 && rank && rows[members[i - 1]].rank && *rows[members[i - 1]].rank + 1 == *rank;
    if (!follows) ++count;
  }
  return count;
}

/// Finds the largest jump in the ascending totals of ranks: returns the index of the first one above it; nullopt if one
/// part would have fewer than four.
std::optional<std::size_t> widest_gap(const std::vector<std::uint64_t>& totals) {
  constexpr std::size_t kFewest = 4;
  if (totals.size() < 2 * kFewest) return std::nullopt;
  std::size_t best = kFewest;
  for (std::size_t at = kFewest; at + kFewest <= totals.size(); ++at)
    if (totals[at] - totals[at - 1] > totals[best] - totals[best - 1]) best = at;
  return best;
}

/// Whether the jump is wider than 1 % of the largest total and than a quarter of what either side spans without its
/// outermost rank.
bool is_jump(const std::vector<std::uint64_t>& totals, std::size_t at) {
  const std::uint64_t gap = totals[at] - totals[at - 1];
  const std::uint64_t below = totals[at - 2] - totals[1];
  const std::uint64_t above = totals[totals.size() - 2] - totals[at];
  return gap > totals.back() / 100 && gap > below / 4 && gap > above / 4;
}

void cut(const std::vector<RankRow>& rows, Members members, std::vector<Members>& groups) {
  std::ranges::stable_sort(members, {}, [&](std::size_t i) { return rows[i].total_bytes; });
  std::vector<std::uint64_t> totals;
  for (const std::size_t i : members)
    totals.push_back(rows[i].total_bytes);
  const auto at = widest_gap(totals);
  if (at && is_jump(totals, *at)) {
    const auto middle = members.begin() + static_cast<std::ptrdiff_t>(*at);
    const Members below(members.begin(), middle);
    const Members above(middle, members.end());
    constexpr std::size_t kMostRuns = 4;
    if (runs(rows, below) + runs(rows, above) <= kMostRuns) {
      cut(rows, below, groups);
      cut(rows, above, groups);
      return;
    }
  }
  std::ranges::sort(members);
  groups.push_back(std::move(members));
}

} // namespace

std::vector<Members> rank_groups(const std::vector<RankRow>& rows) {
  std::vector<Signature> first;
  std::vector<Members> alike;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Signature signature = signature_of(rows[i]);
    const auto known = std::ranges::find_if(first, [&](const Signature& one) { return is_alike(one, signature); });
    if (known == first.end()) {
      first.push_back(std::move(signature));
      alike.emplace_back(1, i);
    } else {
      alike[static_cast<std::size_t>(known - first.begin())].push_back(i);
    }
  }
  std::vector<Members> groups;
  for (Members& members : alike)
    cut(rows, std::move(members), groups);
  return groups;
}

} // namespace memviz
