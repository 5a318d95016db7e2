#include "story/ranks_words.hpp"

#include "base/capitalized.hpp"
#include "base/saturating.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/kind_totals.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace memviz {
namespace {

bool is_among(const std::vector<RankDifference>& differences, std::size_t rank) {
  return std::ranges::find(differences, rank, &RankDifference::rank) != differences.end();
}

/// Returns the name for the beginning of a sentence: that of a file is unchanged.
std::string name_at_start(const JobReport& report, std::size_t rank) {
  const std::string name = rank_name(report, rank);
  return report.ranks[rank].rank ? capitalized(name) : name;
}

std::string more_or_less(std::int64_t delta_bytes) {
  return fmt::format("{} {}", format_bytes(magnitude(delta_bytes)), delta_bytes < 0 ? "less" : "more");
}

/// "the median of its group of 8", "the median of the 7 others"
std::string against(const JobReport& report, const RankDifference& difference) {
  const RankGroup& own = report.groups[*report.ranks[difference.rank].group];
  const bool is_member = std::ranges::find(own.ranks, difference.rank) != own.ranks.end();
  if (is_member && own.ranks.size() > 1) return fmt::format("the median of its group of {}", own.ranks.size());
  const RankGroup& compared = is_member ? report.groups.front() : own;
  if (compared.ranks.size() == 1) return rank_name(report, compared.ranks.front());
  return fmt::format("the median of {}", format_counted(compared.ranks.size(), "rank"));
}

std::string failed_sentence(const JobReport& report) {
  const RankDifference& first = report.failed.front();
  const RankPart& part = report.parts[report.ranks[first.rank].part];
  std::string text = report.failed.size() == 1 ? fmt::format("{} ran out of memory", name_at_start(report, first.rank))
                                               : fmt::format("{} ranks ran out of memory, the first of them {}",
                                                             report.failed.size(), rank_name(report, first.rank));
  text += fmt::format(": {} asked for{} with {} requested.", format_bytes(part.asked_bytes),
                      part.asked_by.empty() ? "" : " by " + part.asked_by, format_bytes(part.held_bytes));
  RankDifference more = first;
  std::erase_if(more.lines, [](const LineDifference& line) { return line.delta_bytes < 0; });
  if (more.lines.empty()) return text;
  return text + fmt::format(" More than {} it then held: {}.", against(report, first), difference_lines(more));
}

/// "activations are 1.33 times the usual, as with longer batches or sequences: "; "" if no factor explains it.
std::string factor_words(const RankDifference& difference) {
  if (!difference.activation_factor) return "";
  return fmt::format("activations are {:.2f} times the median, as with {} batches or sequences: ",
                     *difference.activation_factor, *difference.activation_factor < 1 ? "shorter" : "longer");
}

/// Names the GPU that several processes share without need, and the line that allocates most there.
std::string elsewhere_sentence(const JobReport& report) {
  const ElsewhereRank& first = report.on_other_gpus.front();
  const DeviceId device = first.held.device;
  std::vector<std::size_t> ranks;
  std::uint64_t bytes = 0;
  for (const ElsewhereRank& other : report.on_other_gpus) {
    if (other.held.device != device) continue;
    ranks.push_back(other.rank);
    bytes = saturating_sum(bytes, other.held.peak_bytes);
  }
  std::ranges::sort(ranks);
  const bool is_one = ranks.size() == 1;
  std::string text = is_one ? fmt::format("{} holds {}", name_at_start(report, first.rank), format_bytes(bytes))
                            : fmt::format("{} ranks ({}) together hold {}", ranks.size(), rank_list(report, ranks),
                                          format_bytes(bytes));
  text += fmt::format(" on {}, the GPU of {}, in addition to {} own{}. With one GPU for each process, load with "
                      "map_location and call torch.cuda.set_device() before anything else.",
                      fmt::format("GPU {}", device.value), rank_name(report, first.owner), is_one ? "its" : "their",
                      first.held.line.empty() ? "" : ": " + first.held.line);
  return text;
}

std::string outlier_sentence(const JobReport& report) {
  const RankDifference& first = report.outliers.front();
  const std::string amount = first.delta_bytes == 0
                                 ? fmt::format("as much as {}, but in other lines", against(report, first))
                                 : fmt::format("{} than {}", more_or_less(first.delta_bytes), against(report, first));
  std::string text = fmt::format("{} stands out: it holds {}: {}{}.", name_at_start(report, first.rank), amount,
                                 factor_words(first), difference_lines(first));
  if (report.outliers.size() == 1) return text;
  std::vector<std::size_t> others;
  for (std::size_t i = 1; i < report.outliers.size(); ++i)
    others.push_back(report.outliers[i].rank);
  std::ranges::sort(others);
  return text + fmt::format(" {} more {} out: {}.", others.size(), others.size() == 1 ? "stands" : "stand",
                            rank_list(report, others));
}

std::string none_sentence(const JobReport& report) {
  if (report.ranks.size() == 1)
    return fmt::format("Only {} was read: there is no other rank to compare it with.", rank_name(report, 0));
  if (report.second) {
    const std::int64_t delta = report.second->delta_bytes;
    return fmt::format("No rank of two stands out; {} holds {}: {}{}.", rank_name(report, report.second->rank),
                       delta == 0 ? fmt::format("as much as {}, but in other lines", rank_name(report, 0))
                                  : fmt::format("{} than {}", more_or_less(delta), rank_name(report, 0)),
                       factor_words(*report.second), difference_lines(*report.second));
  }
  const std::string ranks = format_counted(report.ranks.size(), "rank");
  const RankGroup& first = report.groups.front();
  if (report.groups.size() == 1 && first.least_bytes == first.most_bytes)
    return fmt::format("No rank stands out: {} hold the same, {} each.", ranks, format_bytes(first.median_bytes));
  if (report.groups.size() == 1)
    return fmt::format("No rank stands out: {} hold {} to {}, {} in the median.", ranks,
                       format_bytes(first.least_bytes), format_bytes(first.most_bytes),
                       format_bytes(first.median_bytes));
  return fmt::format("No rank stands out: {} in {}.", ranks, format_counted(report.groups.size(), "group"));
}

std::string what_is_missing(const JobReport& report) {
  std::string text;
  if (!report.unread.empty())
    text += fmt::format(" {} of {} could not be read.", format_count(report.unread.size()),
                        format_counted(report.parts.size(), "file"));
  if (report.missing.empty()) return text;
  const auto& [first, last] = report.missing.front();
  const bool is_one = report.missing.size() == 1 && first == last;
  return text + fmt::format(" {} {} missing.", is_one ? "Rank" : "Ranks", range_list(report.missing));
}

std::string moved_note(const JobReport& report) {
  if (report.moved_files.empty()) return "";
  return fmt::format("Lines of {} are compared by function: most of what differs by line is then equal, as after an "
                     "edit of the file.",
                     fmt::join(report.moved_files, ", "));
}

std::string multiple_files_note(const JobReport& report) {
  std::size_t ranks = 0;
  std::size_t first = report.ranks.size();
  for (std::size_t i = 0; i < report.ranks.size(); ++i) {
    if (report.ranks[i].other_parts.empty()) continue;
    ++ranks;
    first = std::min(first, i);
  }
  if (ranks == 0) return "";
  const JobRank& rank = report.ranks[first];
  return fmt::format("{} {} several files; the one that ran out of memory is used, else the latest. {} is used for {}, "
                     "not {}. Use --step N to choose a step.",
                     format_counted(ranks, "rank"), ranks == 1 ? "has" : "have", report.parts[rank.part].file,
                     rank_name(report, first), report.parts[rank.other_parts.front()].file);
}

std::string without_rank_note(const JobReport& report) {
  const auto count = std::ranges::count_if(report.ranks, [](const JobRank& rank) { return !rank.rank; });
  if (count == 0) return "";
  return fmt::format("{} no rank in the name that a rule recognises; use --rank-pattern RE, whose group is the rank.",
                     count == 1 ? "1 file has"
                                : fmt::format("{} files have", format_count(static_cast<std::uint64_t>(count))));
}

std::string coordinates_note(const JobReport& report) {
  const bool has_any =
      std::ranges::any_of(report.ranks, [](const JobRank& rank) { return rank.source == RankSource::coordinates; });
  if (!has_any) return "";
  return "No number in the names of the files alone is the rank: ranks are numbered in the order of all their numbers, "
         "the first one first.";
}

std::string timing_note(const JobReport& report) {
  if (report.by_timing.empty()) return "";
  const RankDifference& first = report.by_timing.front();
  const std::string others =
      report.by_timing.size() == 1 ? "" : fmt::format(" (and {} more)", report.by_timing.size() - 1);
  return fmt::format("{}{} holds {} of communication buffers than the median of its group. Threads decide when PyTorch "
                     "frees these, so identical ranks can differ, and this does not count as standing out.",
                     name_at_start(report, first.rank), others, more_or_less(first.delta_bytes));
}

std::string devices_note(const JobReport& report) {
  const auto has_others = [](const RankPart& part) { return part.other_devices > 0; };
  const auto count = static_cast<std::uint64_t>(std::ranges::count_if(report.parts, has_others));
  if (count == 0) return "";
  return fmt::format(
      "{} {} memory on several devices; the figures are of the one that failed, else of the one with the "
      "highest peak.",
      format_counted(count, "file"), count == 1 ? "has" : "have");
}

/// Returns the headline of a job no file of which was read.
std::string no_rank_sentence(const JobReport& report) {
  if (report.left_out.empty()) return "No file could be read as a snapshot.";
  return report.unread.empty() ? "No file is of this step." : "No file of this step could be read as a snapshot.";
}

} // namespace

std::string rank_name(const JobReport& report, std::size_t rank) {
  const JobRank& one = report.ranks[rank];
  const std::string_view file = file_basename(report.parts[one.part].file);
  if (one.source == RankSource::coordinates) return fmt::format("rank {} ({})", *one.rank, file);
  return one.rank ? fmt::format("rank {}", *one.rank) : std::string(file);
}

std::string range_list(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& ranges) {
  constexpr std::size_t kMost = 8;
  std::vector<std::string> texts;
  for (const auto& [first, last] : ranges) {
    if (texts.size() == kMost) {
      texts.push_back(fmt::format("and {} more", ranges.size() - kMost));
      break;
    }
    texts.push_back(first == last ? std::to_string(first) : fmt::format("{} to {}", first, last));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string rank_list(const JobReport& report, const std::vector<std::size_t>& ranks) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  std::uint64_t without = 0;
  for (const std::size_t i : ranks) {
    const auto& rank = report.ranks[i].rank;
    if (!rank)
      ++without;
    else if (!ranges.empty() && ranges.back().second + 1 == *rank)
      ranges.back().second = *rank;
    else
      ranges.emplace_back(*rank, *rank);
  }
  std::string text = range_list(ranges);
  if (without > 0)
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        format_counted(without, "file without a rank", "files without a rank"));
  return text;
}

std::string line_name(const std::string& line) {
  return line.empty() ? "other lines" : line;
}

std::string difference_lines(const RankDifference& difference) {
  constexpr std::size_t kMost = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, difference.lines.size()); ++i) {
    const LineDifference& line = difference.lines[i];
    text += fmt::format("{}{} {} ({})", i == 0 ? "" : ", ", line_name(line.line), format_delta(line.delta_bytes),
                        kind_words(line.kind));
  }
  if (difference.lines.size() > kMost)
    text += fmt::format(", and {}", format_counted(difference.lines.size() - kMost, "more line"));
  return text;
}

std::string ranks_headline(const JobReport& report) {
  std::string text;
  if (!report.failed.empty()) text = failed_sentence(report);
  if (!report.on_other_gpus.empty()) text += (text.empty() ? "" : " ") + elsewhere_sentence(report);
  if (!report.outliers.empty()) text += (text.empty() ? "" : " ") + outlier_sentence(report);
  if (text.empty()) text = report.ranks.empty() ? no_rank_sentence(report) : none_sentence(report);
  return text + what_is_missing(report);
}

std::string ranks_short_headline(const JobReport& report) {
  if (!report.failed.empty()) {
    const std::string first = name_at_start(report, report.failed.front().rank);
    return report.failed.size() == 1 ? first + " ran out of memory"
                                     : fmt::format("{} ranks ran out of memory", report.failed.size());
  }
  if (report.on_other_gpus.empty() && !report.outliers.empty()) {
    const RankDifference& first = report.outliers.front();
    const std::string name = name_at_start(report, first.rank);
    return first.delta_bytes == 0
               ? name + " stands out by its lines"
               : fmt::format("{} stands out: {} than its group", name, more_or_less(first.delta_bytes));
  }
  const std::string headline = ranks_headline(report);
  std::size_t end = headline.size() - (headline.ends_with('.') ? 1 : 0);
  for (const std::string_view mark : {": ", "; ", ". ", ", "})
    end = std::min(end, headline.find(mark));
  return headline.substr(0, end);
}

std::vector<std::string> ranks_notes(const JobReport& report) {
  std::vector<std::string> notes;
  for (std::string note : {moved_note(report), timing_note(report), multiple_files_note(report),
                           coordinates_note(report), without_rank_note(report), devices_note(report)})
    if (!note.empty()) notes.push_back(std::move(note));
  if (!report.left_out.empty())
    notes.push_back(fmt::format("{} of another step {} omitted.", format_counted(report.left_out.size(), "file"),
                                report.left_out.size() == 1 ? "is" : "are"));
  return notes;
}

std::string rank_remark(const JobReport& report, std::size_t rank) {
  const RankPart& part = report.parts[report.ranks[rank].part];
  std::vector<std::string_view> remarks;
  if (part.moment == MomentKind::oom) remarks.emplace_back("out of memory");
  if (is_among(report.outliers, rank)) remarks.emplace_back("stands out");
  if (std::ranges::find(report.on_other_gpus, rank, &ElsewhereRank::rank) != report.on_other_gpus.end())
    remarks.emplace_back("also on another rank's GPU");
  if (!part.is_balanced) remarks.emplace_back("accounts do not balance");
  if (part.may_have_lost_events) remarks.emplace_back("events may be lost");
  if (part.moment == MomentKind::end) remarks.emplace_back("no events: its end");
  return fmt::format("{}", fmt::join(remarks, ", "));
}

} // namespace memviz
