#include "analysis/ranks/rank_medians.hpp"

#include "base/saturating.hpp"

#include <algorithm>
#include <set>

namespace memviz {

std::uint64_t median_of(std::vector<std::uint64_t> values) {
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

std::uint64_t least_difference(std::uint64_t total_bytes) {
  return std::max(std::uint64_t{1} << 20U, total_bytes / 200);
}

std::uint64_t bytes_of(const LineBytes& entries, LineId line) {
  const auto found = std::ranges::lower_bound(entries, line, {}, &LineBytes::value_type::first);
  return found != entries.end() && found->first == line ? found->second : 0;
}

namespace {

using Values = std::vector<std::uint64_t>;

bool is_persistent(MemoryKind kind) {
  return kind == MemoryKind::parameter || kind == MemoryKind::optimizer_state || kind == MemoryKind::parameter_or_state;
}

/// The highest bytes of lines, where they are known.
using Peaks = std::map<LineId, std::uint64_t>;

void add_to(LineBytes& entries, LineId line, std::uint64_t bytes) {
  if (entries.empty() || entries.back().first != line) entries.emplace_back(line, 0);
  entries.back().second = saturating_sum(entries.back().second, bytes);
}

/// `communication` has the lines that hold mostly communication buffers.
RankRow row_of(const RankTable::ByKind& kinds, const Peaks& peaks, const std::set<LineId>& communication) {
  RankRow row{.rank = {}, .lines = {}, .persistent = {}, .communication = {}};
  std::map<LineId, std::uint64_t> of_lines = peaks;
  for (const auto& [key, bytes] : kinds) {
    const auto& [line, kind] = key;
    if (is_persistent(kind)) add_to(row.persistent, line, bytes);
    if (kind != MemoryKind::communication) row.total_bytes = saturating_sum(row.total_bytes, bytes);
    if (peaks.contains(line)) continue;
    if (kind == MemoryKind::communication)
      add_to(row.communication, line, bytes);
    else
      of_lines[line] = saturating_sum(of_lines[line], bytes);
  }
  for (const auto& [line, bytes] : of_lines)
    (peaks.contains(line) && communication.contains(line) ? row.communication : row.lines).emplace_back(line, bytes);
  std::ranges::sort(row.communication);
  return row;
}

/// Returns the lines that hold more communication buffers than anything else, over all ranks.
std::set<LineId> communication_lines(const std::vector<RankTable::ByKind>& ranks) {
  std::map<LineId, std::pair<std::uint64_t, std::uint64_t>> sums; // of communication, of the rest
  for (const RankTable::ByKind& kinds : ranks) {
    for (const auto& [key, bytes] : kinds) {
      auto& [of_communication, of_rest] = sums[key.first];
      std::uint64_t& sum = key.second == MemoryKind::communication ? of_communication : of_rest;
      sum = saturating_sum(sum, bytes);
    }
  }
  std::set<LineId> lines;
  for (const auto& [line, sum] : sums)
    if (sum.first > sum.second) lines.insert(line);
  return lines;
}

} // namespace

namespace {

std::uint64_t kind_bytes(const RankTable::ByKind& kinds, LineId line, MemoryKind kind) {
  const auto found = kinds.find({line, kind});
  return found == kinds.end() ? 0 : found->second;
}

} // namespace

LineMedians medians_by_line(const RankGroup& group) {
  LineMedians medians;
  for (const LineMemory& held : group.medians)
    medians.emplace(std::pair(std::string_view(held.line), held.kind), held.bytes);
  return medians;
}

MemoryKind usual_kind(const RankTable& table, const std::vector<std::size_t>& ranks, LineId line) {
  MemoryKind usual = MemoryKind::unknown;
  std::uint64_t most = 0;
  for (const MemoryKind kind : kKindLayers) {
    std::uint64_t sum = 0;
    for (const std::size_t rank : ranks)
      sum = saturating_sum(sum, kind_bytes(table.kinds[rank], line, kind));
    if (sum <= most) continue;
    most = sum;
    usual = kind;
  }
  return usual;
}

MemoryKind main_kind(const RankTable& table, const LineMedians& medians, std::size_t rank, LineId line,
                     bool is_communication) {
  if (is_communication) return MemoryKind::communication;
  MemoryKind main = usual_kind(table, {rank}, line);
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

void sort_lines(RankDifference& difference) {
  difference.delta_bytes = 0;
  for (const LineDifference& line : difference.lines)
    difference.delta_bytes += line.delta_bytes;
  std::ranges::stable_sort(difference.lines, std::greater(),
                           [](const LineDifference& line) { return magnitude(line.delta_bytes); });
}

RankTable rank_table(const JobReport& report, const RankLineNames& names) {
  RankTable table;
  std::map<std::string, LineId, std::less<>> ids;
  const auto id_of = [&](const std::string& line) {
    const std::string name = names.name_of(line);
    const auto [entry, is_new] = ids.try_emplace(name, static_cast<LineId>(ids.size()));
    if (is_new) table.lines.push_back(name);
    return entry->second;
  };
  std::vector<Peaks> peaks;
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    const RankPart& part = report.parts[report.ranks[i].part];
    RankTable::ByKind& kinds = table.kinds.emplace_back();
    Peaks& own = peaks.emplace_back();
    for (const LineMemory& held : part.held) {
      const LineId line = id_of(held.line);
      std::uint64_t& bytes = kinds[{line, held.kind}];
      bytes = saturating_sum(bytes, held.bytes);
      if (held.peak_bytes) own[line] = saturating_sum(own[line], *held.peak_bytes);
    }
    for (const LineMemory& other : part.not_held) {
      std::uint64_t& bytes = own[id_of(other.line)];
      bytes = saturating_sum(bytes, other.bytes);
    }
  }
  std::set<LineId> communication = communication_lines(table.kinds);
  for (std::size_t i = 0; i < report.ranks.size(); ++i)
    for (const LineMemory& other : report.parts[report.ranks[i].part].not_held)
      if (other.kind == MemoryKind::communication) communication.insert(id_of(other.line));
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    table.rows.push_back(row_of(table.kinds[i], peaks[i], communication));
    table.rows.back().rank = report.ranks[i].rank;
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
    const std::uint64_t bytes = median_of(std::move(values));
    if (bytes > 0) group.medians.push_back({table.lines[key.first], key.second, bytes});
  }
  std::ranges::stable_sort(group.medians, std::greater(), &LineMemory::bytes);
  group.least_bytes = *std::ranges::min_element(totals);
  group.most_bytes = *std::ranges::max_element(totals);
  group.median_bytes = median_of(std::move(totals));
  return group;
}

namespace {

/// Returns the lines of both lists of a row.
LineBytes all_lines(const RankRow& row) {
  LineBytes all = row.lines;
  all.insert(all.end(), row.communication.begin(), row.communication.end());
  std::ranges::sort(all);
  LineBytes sums;
  for (const auto& [line, bytes] : all)
    add_to(sums, line, bytes);
  return sums;
}

/// Returns the lines of a rank at its moment.
LineBytes lines_at_moment(const RankTable::ByKind& kinds) {
  LineBytes sums;
  for (const auto& [key, bytes] : kinds)
    add_to(sums, key.first, bytes);
  return sums;
}

RankDifference difference_from(const RankTable& table, std::size_t rank, const LineBytes& own, const RankGroup& group) {
  RankDifference difference{.rank = rank};
  const LineMedians medians = medians_by_line(group);
  std::vector<LineBytes> others;
  std::set<LineId> lines;
  for (const std::size_t other : group.ranks)
    for (const auto& [line, bytes] : others.emplace_back(all_lines(table.rows[other])))
      lines.insert(line);
  for (const auto& [line, bytes] : own)
    lines.insert(line);
  for (const LineId line : lines) {
    Values values;
    for (const LineBytes& other : others)
      values.push_back(bytes_of(other, line));
    const std::int64_t delta = signed_difference(bytes_of(own, line), median_of(std::move(values)));
    if (magnitude(delta) > least_difference(group.median_bytes))
      difference.lines.push_back({table.lines[line], main_kind(table, medians, rank, line, false), delta});
  }
  sort_lines(difference);
  return difference;
}

} // namespace

RankDifference difference_of(const RankTable& table, std::size_t rank, const RankGroup& group) {
  return difference_from(table, rank, all_lines(table.rows[rank]), group);
}

RankDifference excess_of(const RankTable& table, std::size_t rank, const RankGroup& group) {
  RankDifference excess = difference_from(table, rank, lines_at_moment(table.kinds[rank]), group);
  std::erase_if(excess.lines, [](const LineDifference& line) { return line.delta_bytes < 0; });
  sort_lines(excess);
  return excess;
}

} // namespace memviz
