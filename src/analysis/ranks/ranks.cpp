#include "memviz/ranks.hpp"

#include "analysis/ranks/rank_groups.hpp"
#include "analysis/ranks/rank_medians.hpp"
#include "analysis/ranks/rank_outliers.hpp"
#include "base/saturating.hpp"
#include "memviz/rank_names.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace memviz {
namespace {

/// Returns the precedence of one of several files of a rank: the greatest counts.
auto precedence_of(const RankPart& part) {
  return std::tuple(part.moment == MomentKind::oom, part.last_time_us, step_of_name(part.file), part.file);
}

std::vector<std::string> files_of(const std::vector<RankPart>& parts) {
  std::vector<std::string> files;
  for (const RankPart& part : parts)
    files.push_back(part.file);
  return files;
}

void add_part(JobReport& report, std::map<std::uint64_t, JobRank>& by_rank, std::size_t part, const NamedRank& named) {
  if (!named.rank) {
    report.ranks.push_back({.part = part});
    return;
  }
  const auto [entry, is_new] = by_rank.try_emplace(*named.rank, JobRank{part, named.rank, named.source});
  if (is_new) return;
  JobRank& known = entry->second;
  std::size_t other = part;
  if (precedence_of(report.parts[part]) > precedence_of(report.parts[known.part])) {
    std::swap(known.part, other);
    known.source = named.source;
  }
  known.other_parts.push_back(other);
}

/// Assigns a rank to each part that was read.
void find_ranks(JobReport& report, const RankOptions& options) {
  const std::vector<NamedRank> named = ranks_of_names(files_of(report.parts), options.pattern);
  std::map<std::uint64_t, JobRank> by_rank;
  for (std::size_t i = 0; i < report.parts.size(); ++i) {
    const RankPart& part = report.parts[i];
    const bool has_recorded = part.rank && options.pattern.empty();
    if (!part.error.empty())
      report.unread.push_back(i);
    else if (options.step && step_of_name(part.file) != options.step)
      report.left_out.push_back(i);
    else
      add_part(report, by_rank, i, has_recorded ? NamedRank{part.rank, RankSource::file} : named[i]);
  }
  std::vector<JobRank> ranks;
  for (auto& [rank, job_rank] : by_rank) {
    std::ranges::sort(job_rank.other_parts);
    ranks.push_back(std::move(job_rank));
  }
  report.ranks.insert(report.ranks.begin(), ranks.begin(), ranks.end());
}

/// Returns the gaps between 0 and the last rank that is known to exist.
void find_missing(JobReport& report) {
  std::uint64_t next = 0;
  const auto add_until = [&](std::uint64_t end) {
    if (next < end) report.missing.emplace_back(next, end - 1);
    next = end + 1;
  };
  std::uint64_t size = 0;
  for (const JobRank& rank : report.ranks) {
    if (!rank.rank) continue;
    add_until(*rank.rank);
    size = std::max(size, report.parts[rank.part].ranks.value_or(0));
  }
  add_until(size);
}

bool is_failed(const JobReport& report, std::size_t rank) {
  return report.parts[report.ranks[rank].part].moment == MomentKind::oom;
}

/// Groups the ranks that did not run out of memory: those that did failed at a moment that the others did not have.
void find_groups(JobReport& report, const RankTable& table) {
  std::vector<std::size_t> members;
  std::vector<RankRow> rows;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    if (is_failed(report, i)) continue;
    members.push_back(i);
    rows.push_back(table.rows[i]);
  }
  for (std::vector<std::size_t>& alike : rank_groups(rows)) {
    for (std::size_t& i : alike)
      i = members[i];
    report.groups.push_back(group_of(table, std::move(alike)));
  }
  std::ranges::stable_sort(report.groups, std::greater(), [](const RankGroup& group) { return group.ranks.size(); });
  for (std::size_t i = 0; i < report.groups.size(); ++i)
    for (const std::size_t rank : report.groups[i].ranks)
      report.ranks[rank].group = i;
}

/// Returns the group whose persistent memory is most similar to that of a rank that ran out of memory.
std::size_t nearest_group(const JobReport& report, const RankTable& table, std::size_t rank) {
  const auto persistent_bytes = [&](std::size_t of_rank) {
    std::uint64_t sum = 0;
    for (const auto& [line, bytes] : table.rows[of_rank].persistent)
      sum = saturating_sum(sum, bytes);
    return sum;
  };
  const std::uint64_t own = persistent_bytes(rank);
  const auto distance = [&](const RankGroup& group) {
    const std::uint64_t other = persistent_bytes(group.ranks.front());
    return std::max(own, other) - std::min(own, other);
  };
  return static_cast<std::size_t>(std::ranges::min_element(report.groups, {}, distance) - report.groups.begin());
}

void find_failed(JobReport& report, const RankTable& table) {
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    if (!is_failed(report, i)) continue;
    if (report.groups.empty()) {
      report.failed.push_back({.rank = i});
      continue;
    }
    report.ranks[i].group = nearest_group(report, table, i);
    report.failed.push_back(excess_of(table, i, report.groups[*report.ranks[i].group]));
  }
}

/// A rank that resembles no other, although all others are alike.
std::optional<std::size_t> odd_one(const std::vector<RankGroup>& groups) {
  constexpr std::size_t kFewestOthers = 3;
  const bool is_odd = groups.size() == 2 && groups[0].ranks.size() >= kFewestOthers && groups[1].ranks.size() == 1;
  return is_odd ? std::optional(groups[1].ranks.front()) : std::nullopt;
}

void find_outliers(JobReport& report, const RankTable& table) {
  for (const RankGroup& group : report.groups) {
    Outliers outliers = outliers_of(table, group);
    std::ranges::move(outliers.ranks, std::back_inserter(report.outliers));
    std::ranges::move(outliers.by_timing, std::back_inserter(report.by_timing));
  }
  if (report.ranks.size() == 2 && report.failed.empty() && report.outliers.empty()) {
    RankDifference second = difference_of(table, 1, group_of(table, {0}));
    if (!second.lines.empty()) report.second = std::move(second);
  }
  if (const auto odd = odd_one(report.groups)) {
    RankDifference difference = difference_of(table, *odd, report.groups[0]);
    if (!difference.lines.empty()) report.outliers.push_back(std::move(difference));
  }
  std::ranges::stable_sort(report.outliers, std::greater(),
                           [](const RankDifference& one) { return magnitude(one.delta_bytes); });
}

/// Returns the rank whose main GPU this is and that holds memory on no other; nullopt if there is none, as where each
/// process uses several GPUs.
std::optional<std::size_t> owner_of(const JobReport& report, DeviceId device, std::size_t rank) {
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const RankPart& part = report.parts[report.ranks[i].part];
    if (i != rank && part.device == device && part.other_devices == 0) return i;
  }
  return std::nullopt;
}

void find_elsewhere(JobReport& report) {
  constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20U;
  constexpr std::uint64_t kLeastPart = 200; // one in so many bytes of the rank's own peak
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const RankPart& part = report.parts[report.ranks[i].part];
    for (const ElsewhereMemory& held : part.elsewhere) {
      if (held.device == part.device || held.peak_bytes < std::max(kLeastBytes, part.peak_bytes / kLeastPart)) continue;
      if (const auto owner = owner_of(report, held.device, i)) report.on_other_gpus.push_back({i, *owner, held});
    }
  }
  std::ranges::stable_sort(report.on_other_gpus, std::greater(),
                           [](const ElsewhereRank& one) { return one.held.peak_bytes; });
}

} // namespace

JobReport job_report(std::vector<RankPart> parts, const RankOptions& options) {
  JobReport report;
  report.parts = std::move(parts);
  std::ranges::sort(report.parts, {}, [](const RankPart& part) { return std::tie(part.file, part.error); });
  find_ranks(report, options);
  find_missing(report);
  const RankLineNames names(report);
  report.moved_files.assign(names.moved_files().begin(), names.moved_files().end());
  const RankTable table = rank_table(report, names);
  find_groups(report, table);
  find_failed(report, table);
  find_outliers(report, table);
  find_elsewhere(report);
  return report;
}

} // namespace memviz
