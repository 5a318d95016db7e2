#include "base/first_of.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/text_table.hpp"
#include "memviz/compare_jobs_report.hpp"
#include "memviz/format.hpp"
#include "story/compare_jobs_words.hpp"
#include "story/compare_words.hpp"
#include "story/ranks_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace memviz {
namespace {

constexpr std::size_t kMostJobRows = 64;
constexpr std::size_t kJobNameColumns = 24;
constexpr std::size_t kJobLineColumns = 50;

std::string rank_delta_cell(const Reading& reading) {
  return reading.is_known() ? format_delta(reading.change_bytes()) : "unknown";
}

std::string job_rank_cell(const JobReport& report, std::size_t rank) {
  const auto& number = report.ranks[rank].rank;
  return number ? std::to_string(*number) : elided(rank_name(report, rank), kJobNameColumns);
}

std::vector<std::string> job_rank_row(const JobComparison& comparison, const RankChange& rank) {
  const Reading& peak = rank.readings.of(Gauge::peak);
  return {job_rank_cell(comparison.after, rank.after),
          known_bytes(peak.before_bytes),
          known_bytes(peak.after_bytes),
          rank_delta_cell(peak),
          rank_delta_cell(rank.readings.of(Gauge::end)),
          rank_delta_cell(rank.readings.of(Gauge::reserved)),
          elided(largest_line_text(rank), kJobLineColumns),
          rank_change_remark(comparison, rank)};
}

/// Returns all ranks, or, if there are many, those that changed most.
std::vector<std::size_t> shown_changes(const JobComparison& comparison) {
  std::vector<std::size_t> shown = ranks_by_change(comparison);
  shown.resize(std::min(shown.size(), kMostJobRows));
  std::ranges::sort(shown);
  return shown;
}

void add_single_ranks(TextTable& table, const JobReport& report, const std::vector<std::size_t>& ranks,
                      bool is_before) {
  for (const std::size_t rank : first_of(ranks, kMostJobRows)) {
    const std::string peak = format_bytes(report.parts[report.ranks[rank].part].peak_bytes);
    table.add_row({job_rank_cell(report, rank), is_before ? peak : "-", is_before ? "-" : peak, "", "", "", "",
                   is_before ? "only before" : "only after"});
  }
}

std::string unread_files_text(const JobReport& report, std::string_view side, std::size_t columns) {
  std::string text;
  for (const std::size_t index : first_of(report.unread, kMostJobRows)) {
    const RankPart& part = report.parts[index];
    text += wrapped_text(fmt::format("not read {}: {}: {}", side, part.file, part.error), "  - ", columns);
  }
  return text;
}

std::string jobs_table(const JobComparison& comparison) {
  TextTable table{Align::right, Align::right, Align::right, Align::right,
                  Align::right, Align::right, Align::left,  Align::left};
  table.add_row({"rank", "peak before", "after", "change", "end", "reserved", "line that changed most", ""});
  const std::vector<std::size_t> shown = shown_changes(comparison);
  for (const std::size_t i : shown)
    table.add_row(job_rank_row(comparison, comparison.ranks[i]));
  add_single_ranks(table, comparison.before, comparison.only_before, true);
  add_single_ranks(table, comparison.after, comparison.only_after, false);
  std::string text = "\n" + table.text("  ");
  std::size_t left_out = comparison.ranks.size() - shown.size();
  for (const std::size_t size : {comparison.only_before.size(), comparison.only_after.size(),
                                 comparison.before.unread.size(), comparison.after.unread.size()})
    left_out += size - std::min(kMostJobRows, size);
  if (left_out > 0) text += fmt::format("  and {} (in --json)\n", format_counted(left_out, "more row"));
  return text;
}

std::string job_side_line(std::string_view side, const std::string& name, const JobReport& report) {
  return fmt::format("{} {}, {}\n", side, name, format_counted(report.ranks.size(), "rank"));
}

} // namespace

std::string compare_jobs_text(const JobComparison& comparison, const JobNames& names, std::size_t columns) {
  std::string text = job_side_line("before:", names.before, comparison.before);
  text += job_side_line("after: ", names.after, comparison.after);
  text += wrapped_text(jobs_headline(comparison), "", columns) + jobs_table(comparison);
  text += unread_files_text(comparison.before, "before", columns);
  text += unread_files_text(comparison.after, "after", columns);
  for (const std::string& note : jobs_notes(comparison))
    text += wrapped_text(note, "  - ", columns);
  return text;
}

} // namespace memviz
