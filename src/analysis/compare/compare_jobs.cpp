#include "memviz/compare_jobs.hpp"

#include "analysis/compare/part_lines.hpp"
#include "base/saturating.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <utility>

namespace memviz {
namespace {

/// The lines of a part without their kinds.
struct HeldLines {
  std::map<std::string, std::uint64_t, std::less<>> bytes;
  std::uint64_t rest_bytes = 0; ///< lines that have no entry
  /// The upper bound for a line without an entry.
  std::uint64_t most_left_out_bytes = 0;
};

HeldLines held_lines(const RankPart& part, FrameMatch match) {
  HeldLines held;
  std::map<std::string, std::uint64_t, std::less<>> lines;
  for (const LineMemory& line : part.held) {
    if (line.line.empty())
      held.rest_bytes = saturating_sum(held.rest_bytes, line.bytes);
    else {
      std::uint64_t& bytes = lines[line.line];
      bytes = saturating_sum(bytes, line.bytes);
    }
  }
  // Parts keep the lines that hold most; several lines of one function may be omitted together.
  held.most_left_out_bytes = held.rest_bytes;
  if (match == FrameMatch::line)
    for (const auto& [line, bytes] : lines)
      held.most_left_out_bytes = std::min(held.most_left_out_bytes, bytes);
  for (const auto& [line, bytes] : lines) {
    std::uint64_t& sum = held.bytes[std::string(match == FrameMatch::line ? line : function_of_line(line))];
    sum = saturating_sum(sum, bytes);
  }
  return held;
}

/// A line that only one side lists: the other may hold it below the smallest that it lists.
void add_single(std::vector<RankLineChange>& changes, const std::string& line, std::uint64_t bytes,
                std::pair<std::uint64_t, bool> left_out) {
  const auto& [most_bytes, is_before] = left_out;
  if (bytes <= most_bytes) return;
  changes.push_back(is_before ? RankLineChange{line, bytes, most_bytes} : RankLineChange{line, most_bytes, bytes});
}

std::vector<RankLineChange> line_changes(const RankPart& before_part, const RankPart& after_part, FrameMatch match) {
  const HeldLines before = held_lines(before_part, match);
  const HeldLines after = held_lines(after_part, match);
  std::vector<RankLineChange> changes;
  for (const auto& [line, bytes] : before.bytes) {
    const auto other = after.bytes.find(line);
    if (other == after.bytes.end())
      add_single(changes, line, bytes, {after.most_left_out_bytes, true});
    else if (other->second != bytes)
      changes.push_back({line, bytes, other->second});
  }
  for (const auto& [line, bytes] : after.bytes)
    if (!before.bytes.contains(line)) add_single(changes, line, bytes, {before.most_left_out_bytes, false});
  std::ranges::stable_sort(changes, [](const RankLineChange& one, const RankLineChange& other) {
    return std::tuple(magnitude(other.delta_bytes()), std::string_view(one.line)) <
           std::tuple(magnitude(one.delta_bytes()), std::string_view(other.line));
  });
  return changes;
}

/// The peak is unknown for a part without events, which describes the end.
void read_part(DeviceReadings& readings, const RankPart& part, std::optional<std::uint64_t> Reading::*side) {
  if (part.moment != MomentKind::end) readings.of(Gauge::peak).*side = part.peak_bytes;
  readings.of(Gauge::end).*side = part.end_bytes;
  readings.of(Gauge::reserved).*side = part.reserved_bytes;
}

const RankPart& part_at(const JobReport& report, std::size_t rank) {
  return report.parts[report.ranks[rank].part];
}

/// Files without a rank are matched by name, if a job has the name only once.
using RankKey = std::pair<std::optional<std::uint64_t>, std::string>;

std::map<RankKey, std::size_t> ranks_by_key(const JobReport& report, std::vector<std::size_t>& others) {
  std::map<RankKey, std::size_t> ranks;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const auto& rank = report.ranks[i].rank;
    const RankKey key{rank, rank ? std::string() : std::string(file_basename(part_at(report, i).file))};
    if (!ranks.emplace(key, i).second) others.push_back(i);
  }
  return ranks;
}

void pair_ranks(JobComparison& result) {
  const auto before = ranks_by_key(result.before, result.only_before);
  const auto after = ranks_by_key(result.after, result.only_after);
  for (const auto& [key, rank] : before) {
    const auto other = after.find(key);
    if (other == after.end())
      result.only_before.push_back(rank);
    else
      result.ranks.push_back({.before = rank, .after = other->second, .readings = {}});
  }
  for (const auto& [key, rank] : after)
    if (!before.contains(key)) result.only_after.push_back(rank);
  std::ranges::sort(result.only_before);
  std::ranges::sort(result.only_after);
  std::ranges::sort(result.ranks, {}, &RankChange::before);
}

void compare_lines(JobComparison& result, FrameMatch match) {
  result.match = match;
  for (RankChange& rank : result.ranks)
    rank.lines = line_changes(part_at(result.before, rank.before), part_at(result.after, rank.after), match);
}

std::uint64_t bytes_that_differ(const JobComparison& result) {
  std::uint64_t sum = 0;
  for (const RankChange& rank : result.ranks)
    for (const RankLineChange& line : rank.lines)
      sum = saturating_sum(sum, magnitude(line.delta_bytes()));
  return sum;
}

std::uint64_t held_by_all(const JobComparison& result) {
  std::uint64_t sum = 0;
  for (const RankChange& rank : result.ranks)
    sum = saturating_sum(
        sum, std::max(part_at(result.before, rank.before).held_bytes, part_at(result.after, rank.after).held_bytes));
  return sum;
}

/// Compares by function if at least half of what differs by line, and a tenth of everything, only moved: a line that
/// moved appears twice, as it was before and as it is after.
void match_lines(JobComparison& result, const std::optional<FrameMatch>& match) {
  constexpr std::uint64_t kTenth = 10;
  compare_lines(result, match.value_or(FrameMatch::line));
  if (match) return;
  const std::uint64_t by_line = bytes_that_differ(result);
  if (by_line / 2 < held_by_all(result) / kTenth) return;
  compare_lines(result, FrameMatch::function);
  const std::uint64_t by_function = bytes_that_differ(result);
  const std::uint64_t moved = by_line - std::min(by_line, by_function);
  result.is_match_chosen = moved > 0 && moved >= by_line / 2 && moved / 2 >= held_by_all(result) / kTenth;
  if (!result.is_match_chosen) compare_lines(result, FrameMatch::line);
}

void judge(RankChange& rank, const GateLimits& limits) {
  rank.verdict = verdict_on({rank.readings}, limits);
  if (!limits.line) return;
  for (std::size_t i = 0; i < rank.lines.size(); ++i)
    if (limits.line->is_exceeded(rank.lines[i].before_bytes, rank.lines[i].after_bytes))
      rank.verdict->lines.push_back(i);
}

} // namespace

std::int64_t RankLineChange::delta_bytes() const {
  return saturating_difference(static_cast<std::int64_t>(after_bytes), static_cast<std::int64_t>(before_bytes));
}

bool JobComparison::is_passed() const {
  return std::ranges::all_of(ranks, [](const RankChange& rank) { return !rank.verdict || rank.verdict->is_passed(); });
}

JobComparison compare_jobs(JobReport before, JobReport after, const JobCompareOptions& options) {
  JobComparison result;
  result.before = std::move(before);
  result.after = std::move(after);
  pair_ranks(result);
  match_lines(result, options.match);
  for (RankChange& rank : result.ranks) {
    rank.readings.device = part_at(result.after, rank.after).device;
    read_part(rank.readings, part_at(result.before, rank.before), &Reading::before_bytes);
    read_part(rank.readings, part_at(result.after, rank.after), &Reading::after_bytes);
    if (options.limits) judge(rank, *options.limits);
  }
  return result;
}

std::uint64_t changed_bytes(const RankChange& rank) {
  return std::max(magnitude(rank.readings.of(Gauge::peak).change_bytes()),
                  magnitude(rank.readings.of(Gauge::end).change_bytes()));
}

std::vector<std::size_t> ranks_by_change(const JobComparison& comparison) {
  std::vector<std::size_t> order(comparison.ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const RankChange& rank = comparison.ranks[i];
    return std::pair(rank.verdict && !rank.verdict->is_passed(), changed_bytes(rank));
  };
  std::ranges::stable_sort(order, std::greater(), key);
  return order;
}

} // namespace memviz
