#include "story/compare_jobs_words.hpp"

#include "base/capitalized.hpp"
#include "base/saturating.hpp"
#include "memviz/format.hpp"
#include "story/ranks_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <utility>

namespace memviz {
namespace {

const RankPart& part_before(const JobComparison& comparison, const RankChange& rank) {
  return comparison.before.parts[comparison.before.ranks[rank.before].part];
}

const RankPart& part_after(const JobComparison& comparison, const RankChange& rank) {
  return comparison.after.parts[comparison.after.ranks[rank.after].part];
}

/// "its peak grew by 96.0 MiB (16.1 % of 597 MiB)"
std::string reading_text(std::string_view name, const Reading& reading) {
  const std::int64_t change = reading.change_bytes();
  const std::uint64_t before = reading.before_bytes.value_or(0);
  const std::string share =
      before == 0 ? "from nothing" : format_change(magnitude(change), before, format_bytes(before));
  return fmt::format("{} {} by {} ({})", name, change > 0 ? "grew" : "shrank", format_bytes(magnitude(change)), share);
}

/// Returns how the figure that changed most, of the peak and the end, changed; "" if neither did. `owner`: the rank's
/// name, for "the peak of rank 3" instead of "its peak".
std::string largest_reading_text(const RankChange& rank, const std::string& owner = {}) {
  const Reading& peak = rank.readings.of(Gauge::peak);
  const Reading& end = rank.readings.of(Gauge::end);
  const bool is_peak = magnitude(peak.change_bytes()) >= magnitude(end.change_bytes());
  const Reading& largest = is_peak ? peak : end;
  if (largest.change_bytes() == 0) return "";
  const std::string_view name = is_peak ? "peak" : "end";
  return reading_text(owner.empty() ? fmt::format("its {}", name) : fmt::format("the {} of {}", name, owner), largest);
}

std::string only_text(const JobReport& report, const std::vector<std::size_t>& ranks, std::string_view side) {
  if (ranks.empty()) return "";
  const bool has_numbers =
      std::ranges::any_of(ranks, [&](std::size_t rank) { return report.ranks[rank].rank.has_value(); });
  return fmt::format(" Only {} has {}{}.", side,
                     !has_numbers        ? ""
                     : ranks.size() == 1 ? "rank "
                                         : "ranks ",
                     rank_list(report, ranks));
}

/// "out of memory after"; "" where it did not.
std::string moments_remark(const JobComparison& comparison, const RankChange& rank) {
  const bool is_before = part_before(comparison, rank).moment == MomentKind::oom;
  const bool is_after = part_after(comparison, rank).moment == MomentKind::oom;
  if (!is_before && !is_after) return "";
  return std::string("out of memory ") + (is_before && is_after ? "before and after" : is_before ? "before" : "after");
}

std::string changed_sentence(const JobComparison& comparison) {
  const std::string ranks = format_counted(comparison.ranks.size(), "rank");
  if (comparison.ranks.empty()) return "No rank is in both jobs.";
  const RankChange& most = *std::ranges::max_element(comparison.ranks, {}, changed_bytes);
  const std::string change = largest_reading_text(most);
  const auto same = std::ranges::count_if(comparison.ranks,
                                          [](const RankChange& rank) { return largest_reading_text(rank).empty(); });
  if (change.empty())
    return fmt::format("The peak and the end of {} are the same before and after.",
                       comparison.ranks.size() == 1 ? changed_rank_name(comparison, most)
                                                    : (comparison.ranks.size() > 2 ? "all " : "") + ranks);
  // Lines at different moments differ in any case.
  const bool is_one_moment = part_before(comparison, most).moment == part_after(comparison, most).moment;
  const std::string line = is_one_moment ? largest_line_text(most) : "";
  std::string text = fmt::format("Of {} compared, {} changed most: {}{}.", ranks, changed_rank_name(comparison, most),
                                 change, line.empty() ? "" : "; " + line);
  if (comparison.ranks.size() == 1)
    text = fmt::format("{}{}.", capitalized(largest_reading_text(most, changed_rank_name(comparison, most))),
                       line.empty() ? "" : "; " + line);
  if (const std::string remark = moments_remark(comparison, most); !remark.empty())
    text += fmt::format(" It ran {}.", remark);
  if (same > 0) text += fmt::format(" {} did not change.", format_counted(static_cast<std::uint64_t>(same), "rank"));
  return text;
}

std::string growths_text(const RankChange& rank) {
  std::vector<std::string> texts;
  for (const GaugeGrowth& growth : rank.verdict->exceeded)
    texts.push_back(fmt::format("its {}{} by {}", gauge_name(growth.gauge),
                                growth.gauge == Gauge::reserved ? " memory" : "", format_bytes(growth.bytes())));
  constexpr std::size_t kMost = 3;
  const std::vector<std::size_t>& lines = rank.verdict->lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (texts.size() == kMost) {
      texts.push_back(fmt::format("and {}", format_counted(lines.size() - i, "more line")));
      break;
    }
    const auto& line = rank.lines[lines[i]];
    texts.push_back(fmt::format("{} by {}", line.line, format_bytes(magnitude(line.delta_bytes()))));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string devices_note(const JobComparison& comparison) {
  std::uint64_t files = 0;
  for (const RankChange& rank : comparison.ranks)
    if (part_before(comparison, rank).other_devices + part_after(comparison, rank).other_devices > 0) ++files;
  if (files == 0) return "";
  return fmt::format("{} {} memory on several devices; the figures are of the one that failed, else of the one with "
                     "the highest peak. To compare all devices, run memviz compare on the two files.",
                     format_counted(files, "rank"), files == 1 ? "has" : "have");
}

std::string unknown_note(const JobComparison& comparison) {
  const auto count = std::ranges::count_if(
      comparison.ranks, [](const RankChange& rank) { return !rank.readings.of(Gauge::peak).is_known(); });
  if (count == 0) return "";
  return fmt::format("The peak of {} is unknown: a file without events does not show it.",
                     format_counted(static_cast<std::uint64_t>(count), "rank"));
}

} // namespace

std::string changed_rank_name(const JobComparison& comparison, const RankChange& rank) {
  return rank_name(comparison.after, rank.after);
}

std::string largest_line_text(const RankChange& rank) {
  if (rank.lines.empty()) return "";
  return fmt::format("{} {}", rank.lines.front().line, format_delta(rank.lines.front().delta_bytes()));
}

std::string jobs_headline(const JobComparison& comparison) {
  std::string text = changed_sentence(comparison);
  text += only_text(comparison.before, comparison.only_before, "before");
  text += only_text(comparison.after, comparison.only_after, "after");
  if (const std::size_t unread = comparison.unread_files())
    text += fmt::format(" {} could not be read.", format_counted(unread, "file"));
  return text;
}

std::optional<std::string> jobs_exceeded_text(const JobComparison& comparison) {
  std::vector<const RankChange*> over;
  for (const std::size_t i : ranks_by_change(comparison))
    if (const RankChange& rank = comparison.ranks[i]; rank.verdict && !rank.verdict->is_passed()) over.push_back(&rank);
  if (over.empty()) return std::nullopt;
  const RankChange& first = *over.front();
  const std::string limit = fmt::format("more than --fail-over {} allows", first.verdict->limits.given);
  const std::string name = changed_rank_name(comparison, first);
  if (over.size() == 1) return fmt::format("{} grew by {}: {}", name, limit, growths_text(first));
  return fmt::format("{} grew by {}, of which {} changed most: {}", format_counted(over.size(), "rank"), limit, name,
                     growths_text(first));
}

std::vector<std::string> jobs_notes(const JobComparison& comparison) {
  std::vector<std::string> notes;
  if (comparison.is_match_chosen)
    notes.emplace_back("Lines are compared by function, because most of what differs by line only moved (--match).");
  for (std::string note : {unknown_note(comparison), devices_note(comparison)})
    if (!note.empty()) notes.push_back(std::move(note));
  if (const std::size_t left_out = comparison.before.left_out.size() + comparison.after.left_out.size())
    notes.push_back(
        fmt::format("{} of another step {} omitted.", format_counted(left_out, "file"), left_out == 1 ? "is" : "are"));
  return notes;
}

std::string rank_change_remark(const JobComparison& comparison, const RankChange& rank) {
  std::vector<std::string> remarks;
  if (rank.verdict && !rank.verdict->is_passed()) remarks.emplace_back("over the limit");
  if (std::string remark = moments_remark(comparison, rank); !remark.empty()) remarks.push_back(std::move(remark));
  return fmt::format("{}", fmt::join(remarks, ", "));
}

} // namespace memviz
