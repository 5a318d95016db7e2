#include "memviz/ranks_report.hpp"

#include "base/capitalized.hpp"
#include "base/first_of.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "story/kind_totals.hpp"
#include "story/ranks_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace memviz {
namespace {

constexpr std::size_t kMostRankRows = 64;
constexpr std::size_t kMostRankLines = 8;
constexpr std::size_t kRankLineColumns = 60;
constexpr std::size_t kRankFileColumns = 40;

std::string event_cell(EventIndex event) {
  return event.is_none() ? "-" : format_count(event.value());
}

std::string differences_text(const JobReport& report, const std::string& title,
                             const std::vector<RankDifference>& differences) {
  const auto has_lines = [](const RankDifference& difference) { return !difference.lines.empty(); };
  if (std::ranges::none_of(differences, has_lines)) return "";
  TextTable table{Align::left, Align::right, Align::left, Align::left};
  table.add_row({"", "difference", "kind", "line"});
  const auto shown = first_of(differences, kMostRankRows);
  for (const RankDifference& difference : shown) {
    std::string name = elided(rank_name(report, difference.rank), kRankFileColumns);
    for (const LineDifference& line : first_of(difference.lines, kMostRankLines)) {
      table.add_row({std::exchange(name, ""), format_delta(line.delta_bytes), std::string(kind_words(line.kind)),
                     elided(line_name(line.line), kRankLineColumns)});
    }
  }
  return '\n' + title + '\n' + table.text("  ", differences.size() - shown.size());
}

std::string groups_text(const JobReport& report) {
  if (report.groups.empty()) return "";
  TextTable table{Align::right, Align::right, Align::right, Align::left, Align::left, Align::left};
  table.add_row({"group", "ranks", "median", "from - to", "largest line", "which"});
  for (std::size_t i = 0; i < std::min(kMostRankRows, report.groups.size()); ++i) {
    const RankGroup& group = report.groups[i];
    const std::string span = fmt::format("{} - {}", format_bytes(group.least_bytes), format_bytes(group.most_bytes));
    table.add_row({std::to_string(i), format_count(group.ranks.size()), format_bytes(group.median_bytes),
                   group.least_bytes == group.most_bytes ? "all the same" : span,
                   group.medians.empty() ? "" : elided(line_name(group.medians.front().line), kRankFileColumns),
                   rank_list(report, group.ranks)});
    // The ranks of a group are alike, so the lines of its first one are shown.
    for (const LineMemory& inner : report.parts[report.ranks[group.ranks.front()].part].within)
      table.add_row(
          {"", "", format_bytes(inner.bytes), "", "  " + elided(line_name(inner.line), kRankFileColumns - 2), ""});
  }
  return "\nGroups of similar ranks\n" +
         table.text("  ", report.groups.size() - std::min(kMostRankRows, report.groups.size()));
}

/// Returns all ranks, or, if there are many, those that ran out of memory, the outliers, and the first of each group.
std::vector<std::size_t> shown_ranks(const JobReport& report) {
  std::vector<std::size_t> shown;
  std::set<std::size_t> seen;
  const auto add = [&](std::size_t rank) {
    if (shown.size() < kMostRankRows && seen.insert(rank).second) shown.push_back(rank);
  };
  for (const RankDifference& one : report.failed)
    add(one.rank);
  for (const RankDifference& one : report.outliers)
    add(one.rank);
  for (const RankGroup& group : report.groups)
    add(group.ranks.front());
  if (report.ranks.size() > kMostRankRows) return shown;
  for (std::size_t i = 0; i < report.ranks.size(); ++i)
    add(i);
  std::ranges::sort(shown);
  return shown;
}

std::string largest_kind(const RankPart& part) {
  const auto [kind, bytes] = largest_kind_of(part);
  return bytes == 0 ? "" : fmt::format("{} {}", format_percent(bytes, part.held_bytes), kind_words(kind));
}

std::string ranks_table(const JobReport& report) {
  if (report.ranks.empty()) return "";
  TextTable table{Align::right, Align::right, Align::right, Align::right, Align::right,
                  Align::right, Align::right, Align::left,  Align::left};
  table.add_row({"rank", "group", "peak", "at event", "of capacity", "end", "reserved", "largest kind", ""});
  const std::vector<std::size_t> shown = shown_ranks(report);
  for (const std::size_t i : shown) {
    const JobRank& rank = report.ranks[i];
    const RankPart& part = report.parts[rank.part];
    table.add_row(
        {rank.rank ? std::to_string(*rank.rank) : elided(rank_name(report, i), kRankFileColumns),
         rank.group ? std::to_string(*rank.group) : "-", format_bytes(part.peak_bytes), event_cell(part.peak_event),
         part.capacity_bytes ? format_percent(part.peak_bytes, *part.capacity_bytes) : "unknown",
         format_bytes(part.end_bytes), format_bytes(part.reserved_bytes), largest_kind(part), rank_remark(report, i)});
  }
  for (const auto& [first, last] : report.missing)
    table.add_row({first == last ? std::to_string(first) : fmt::format("{} to {}", first, last), "-", "", "", "", "",
                   "", "", "missing"});
  std::string text = "\nRanks\n" + table.text("  ");
  if (shown.size() < report.ranks.size())
    text += fmt::format("  and {} more (in --json)\n", format_count(report.ranks.size() - shown.size()));
  return text;
}

/// Returns the variables that keep most on the ranks that stand out, else on the first one of each group.
std::string keepers_table(const JobReport& report) {
  std::vector<std::size_t> ranks;
  for (const auto* const differences : {&report.failed, &report.outliers})
    for (const RankDifference& one : *differences)
      ranks.push_back(one.rank);
  if (ranks.empty())
    for (const RankGroup& group : report.groups)
      ranks.push_back(group.ranks.front());
  TextTable table{Align::left, Align::right, Align::right, Align::left};
  table.add_row({"", "requested", "share", "keeper"});
  std::set<std::size_t> seen;
  for (const std::size_t rank : ranks) {
    const RankPart& part = report.parts[report.ranks[rank].part];
    if (part.keepers.empty() || seen.size() == kMostRankRows || !seen.insert(rank).second) continue;
    std::string name = elided(rank_name(report, rank), kRankFileColumns);
    for (const KeeperMemory& one : part.keepers)
      table.add_row({std::exchange(name, ""), format_bytes(one.bytes), format_percent(one.bytes, part.held_bytes),
                     elided(one.keeper, kRankLineColumns)});
  }
  return seen.empty() ? "" : "\nVariables that keep most\n" + table.text("  ");
}

std::string unread_text(const JobReport& report, std::size_t columns) {
  if (report.unread.empty()) return "";
  std::string text = "\nNot read\n";
  for (const std::size_t index : first_of(report.unread, kMostRankRows)) {
    const RankPart& part = report.parts[index];
    text += wrapped_text(part.file + ": " + part.error, "  - ", columns);
  }
  if (report.unread.size() > kMostRankRows)
    text += fmt::format("  and {} more (in --json)\n", format_count(report.unread.size() - kMostRankRows));
  return text;
}

} // namespace

std::string ranks_text(const JobReport& report, std::size_t columns) {
  std::string text = wrapped_text(ranks_headline(report), "", columns);
  text += differences_text(report, "Out of memory: what they then held that the nearest group never does in the median",
                           report.failed);
  if (report.second) text += differences_text(report, "How the second differs", {*report.second});
  text += differences_text(report, "What they hold that the median of their group does not", report.outliers);
  text += groups_text(report) + keepers_table(report) + ranks_table(report) + unread_text(report, columns);
  const std::vector<std::string> notes = ranks_notes(report);
  if (!notes.empty()) text += "\nWhat to know\n";
  for (const std::string& note : notes)
    text += wrapped_text(note, "  - ", columns);
  return text;
}

} // namespace memviz
