#include "analysis/ranks/rank_medians.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace memviz {
namespace {

using Values = std::vector<std::uint64_t>;
using Entries = std::vector<std::pair<LineId, std::uint64_t>>;

/// For an even number of values, the mean of the two middle ones.
std::uint64_t median(Values values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  const std::uint64_t below = *std::ranges::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

std::uint64_t distance(std::uint64_t one, std::uint64_t other) {
  return std::max(one, other) - std::min(one, other);
}

std::int64_t signed_difference(std::uint64_t from, std::uint64_t taken) {
  return static_cast<std::int64_t>(from) - static_cast<std::int64_t>(taken);
}

/// Returns the smallest difference that counts among ranks that hold this much.
std::uint64_t floor_of(std::uint64_t total_bytes) {
  return std::max(std::uint64_t{1} << 20U, total_bytes / 200);
}

/// Returns the difference from `middle` above which one of these values is an outlier.
std::uint64_t threshold_of(const Values& values, std::uint64_t middle, std::uint64_t floor) {
  constexpr double kOfNormal = 1.4826; // converts a MAD to a standard deviation
  constexpr double kFactor = 4;
  constexpr double kEnough = 16;
  Values deviations;
  for (const std::uint64_t value : values)
    deviations.push_back(distance(value, middle));
  const double few = std::max(1.0, kEnough / static_cast<double>(values.size()));
  const double spread = kFactor * few * kOfNormal * static_cast<double>(median(std::move(deviations)));
  return std::max(floor, static_cast<std::uint64_t>(spread));
}

bool is_persistent(MemoryKind kind) {
  return kind == MemoryKind::parameter || kind == MemoryKind::optimizer_state || kind == MemoryKind::parameter_or_state;
}

std::uint64_t bytes_of(const Entries& entries, LineId line) {
  const auto found = std::ranges::lower_bound(entries, line, {}, &Entries::value_type::first);
  return found != entries.end() && found->first == line ? found->second : 0;
}

RankRow row_of(const RankTable::ByKind& kinds, std::optional<std::uint64_t> rank) {
  RankRow row{.rank = rank, .lines = {}, .persistent = {}, .communication = {}};
  const auto add = [](Entries& entries, LineId line, std::uint64_t bytes) {
    if (entries.empty() || entries.back().first != line) entries.emplace_back(line, 0);
    entries.back().second = saturating_sum(entries.back().second, bytes);
  };
  for (const auto& [key, bytes] : kinds) {
    const auto& [line, kind] = key;
    add(kind == MemoryKind::communication ? row.communication : row.lines, line, bytes);
    if (is_persistent(kind)) add(row.persistent, line, bytes);
    if (kind != MemoryKind::communication) row.total_bytes = saturating_sum(row.total_bytes, bytes);
  }
  return row;
}

std::uint64_t kind_bytes(const RankTable::ByKind& kinds, LineId line, MemoryKind kind) {
  const auto found = kinds.find({line, kind});
  return found == kinds.end() ? 0 : found->second;
}

using LineMedians = std::map<std::pair<std::string_view, MemoryKind>, std::uint64_t>;

LineMedians by_line(const RankGroup& group) {
  LineMedians medians;
  for (const LineMemory& held : group.medians)
    medians.emplace(std::pair(std::string_view(held.line), held.kind), held.bytes);
  return medians;
}

/// Returns the kind of a line that differs most, among communication buffers alone if requested.
MemoryKind main_kind(const RankTable& table, const LineMedians& medians, std::size_t rank, LineId line,
                     bool is_communication) {
  if (is_communication) return MemoryKind::communication;
  MemoryKind main = MemoryKind::unknown;
  std::uint64_t most = 0;
  for (const MemoryKind kind : kKindLayers) {
    if (kind == MemoryKind::communication) continue;
    const auto usual = medians.find({table.lines[line], kind});
    const std::uint64_t difference =
        distance(kind_bytes(table.kinds[rank], line, kind), usual == medians.end() ? 0 : usual->second);
    if (difference <= most) continue;
    most = difference;
    main = kind;
  }
  return main;
}

void finish(RankDifference& difference) {
  difference.delta_bytes = 0;
  for (const LineDifference& line : difference.lines)
    difference.delta_bytes += line.delta_bytes;
  std::ranges::stable_sort(difference.lines, std::greater(),
                           [](const LineDifference& line) { return magnitude(line.delta_bytes); });
}

/// Adds the outliers of one list of each member's row.
class OutlierSearch {
public:
  OutlierSearch(const RankTable& table, const RankGroup& group, Entries RankRow::*entries)
      : table_(table), group_(group), medians_(by_line(group)), entries_(entries) {}

  std::map<std::size_t, RankDifference> found() {
    std::set<LineId> lines;
    for (const std::size_t rank : group_.ranks)
      for (const auto& [line, bytes] : table_.rows[rank].*entries_)
        lines.insert(line);
    for (const LineId line : lines)
      look_at(line);
    for (auto& [rank, difference] : found_)
      finish(difference);
    std::erase_if(found_, [&](const auto& entry) {
      return magnitude(entry.second.delta_bytes) <= floor_of(group_.median_bytes);
    });
    return std::move(found_);
  }

private:
  void look_at(LineId line) {
    Values values;
    for (const std::size_t rank : group_.ranks)
      values.push_back(bytes_of(table_.rows[rank].*entries_, line));
    const std::uint64_t middle = median(values);
    const std::uint64_t threshold = threshold_of(values, middle, floor_of(group_.median_bytes));
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (distance(values[i], middle) <= threshold) continue;
      const std::size_t rank = group_.ranks[i];
      const bool is_communication = entries_ == &RankRow::communication;
      found_.try_emplace(rank, RankDifference{.rank = rank})
          .first->second.lines.push_back({table_.lines[line], main_kind(table_, medians_, rank, line, is_communication),
                                          signed_difference(values[i], middle)});
    }
  }

  const RankTable& table_;
  const RankGroup& group_;
  LineMedians medians_;
  Entries RankRow::*entries_;
  std::map<std::size_t, RankDifference> found_;
};

} // namespace

RankTable rank_table(const JobReport& report) {
  RankTable table;
  std::map<std::string_view, LineId> ids;
  for (const JobRank& rank : report.ranks) {
    RankTable::ByKind& kinds = table.kinds.emplace_back();
    for (const LineMemory& held : report.parts[rank.part].held) {
      const auto [entry, is_new] = ids.try_emplace(held.line, static_cast<LineId>(ids.size()));
      if (is_new) table.lines.push_back(held.line);
      std::uint64_t& bytes = kinds[{entry->second, held.kind}];
      bytes = saturating_sum(bytes, held.bytes);
    }
    table.rows.push_back(row_of(kinds, rank.rank));
  }
  return table;
}

RankGroup group_of(const RankTable& table, std::vector<std::size_t> members) {
  RankGroup group{.ranks = std::move(members)};
  Values totals;
  std::map<std::pair<LineId, MemoryKind>, Values> by_kind;
  for (const std::size_t rank : group.ranks) {
    std::uint64_t total = 0;
    for (const auto& [key, bytes] : table.kinds[rank]) {
      by_kind[key].push_back(bytes);
      total = saturating_sum(total, bytes);
    }
    totals.push_back(total);
  }
  for (auto& [key, values] : by_kind) {
    values.resize(group.ranks.size());
    const std::uint64_t bytes = median(std::move(values));
    if (bytes > 0) group.medians.push_back({table.lines[key.first], key.second, bytes});
  }
  std::ranges::stable_sort(group.medians, std::greater(), &LineMemory::bytes);
  group.least_bytes = *std::ranges::min_element(totals);
  group.most_bytes = *std::ranges::max_element(totals);
  group.median_bytes = median(std::move(totals));
  return group;
}

Outliers outliers_of(const RankTable& table, const RankGroup& group) {
  constexpr std::size_t kFewest = 3;
  Outliers outliers;
  if (group.ranks.size() < kFewest) return outliers;
  auto ranks = OutlierSearch(table, group, &RankRow::lines).found();
  auto by_timing = OutlierSearch(table, group, &RankRow::communication).found();
  for (auto& [rank, difference] : ranks)
    outliers.ranks.push_back(std::move(difference));
  for (auto& [rank, difference] : by_timing)
    if (!ranks.contains(rank)) outliers.by_timing.push_back(std::move(difference));
  return outliers;
}

RankDifference difference_of(const RankTable& table, std::size_t rank, const RankGroup& group) {
  RankDifference difference{.rank = rank};
  RankTable::ByKind kinds = table.kinds[rank];
  std::map<std::string_view, LineId> ids;
  for (LineId line = 0; line < table.lines.size(); ++line)
    ids.emplace(table.lines[line], line);
  const LineMedians medians = by_line(group);
  for (const auto& [key, bytes] : medians)
    kinds.try_emplace({ids.at(key.first), key.second}, 0);
  for (const auto& [key, bytes] : kinds) {
    const auto usual = medians.find({table.lines[key.first], key.second});
    const std::int64_t delta = signed_difference(bytes, usual == medians.end() ? 0 : usual->second);
    if (magnitude(delta) > floor_of(group.median_bytes))
      difference.lines.push_back({table.lines[key.first], key.second, delta});
  }
  finish(difference);
  return difference;
}

} // namespace memviz
