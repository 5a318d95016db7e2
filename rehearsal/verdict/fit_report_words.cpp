#include "verdict/fit_report_words.hpp"

#include "base/capitalized.hpp"
#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "verdict/fit_words.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kMostNamed = 4; ///< rows in a sentence

using Rows = std::vector<const FitRow*>;

/// "with TP=4, LEN=1024"; "" for a row of no axis but the number, GPUs and the unchanged program.
std::string values_phrase(const FitReport& report, const FitRow& row) {
  std::string phrase;
  for (std::size_t i = 0; i < report.axes.size(); ++i) {
    const Axis& axis = report.axes[i];
    const std::string& value = row.answer->point[i];
    const bool is_change = axis.kind == AxisKind::setting && value != kUnchanged;
    const bool is_value = axis.kind == AxisKind::values || axis.kind == AxisKind::doubled;
    if (!is_change && !is_value) continue;
    phrase += phrase.empty() ? "with " : ", ";
    phrase += (is_value ? axis.name + '=' : "") + printable(value);
  }
  return phrase;
}

/// "on h100-80 with TP=4, LEN=1024"
std::string row_phrase(const FitReport& report, const FitRow& row) {
  std::string values = values_phrase(report, row);
  const std::string gpu = printable(value_of(report, *row.answer, AxisKind::gpu));
  if (gpu.empty()) return values;
  return "on " + gpu + (values.empty() ? "" : " " + values);
}

/// Returns the axis of all rows; null if there are several.
const Axis* row_axis(const FitReport& report) {
  const Axis* found = nullptr;
  for (const Axis& axis : report.axes) {
    if (axis.kind == AxisKind::number || axis.kind == AxisKind::setting) continue;
    if (found != nullptr) return nullptr;
    found = &axis;
  }
  return found;
}

/// Returns the word before a number of rows.
std::string_view preposition(const FitReport& report) {
  const Axis* const axis = row_axis(report);
  if (axis == nullptr) return "in";
  return axis->kind == AxisKind::gpu ? "on" : "with";
}

/// "on 2 of 3 GPUs", "with 2 of 3 values of TP", "in 2 of 3 combinations", for "2 of 3".
std::string counted_rows(const FitReport& report, const std::string& count) {
  const Axis* const axis = row_axis(report);
  const std::string rows = axis == nullptr               ? "combinations"
                           : axis->kind == AxisKind::gpu ? "GPUs"
                                                         : "values of " + axis->name;
  return fmt::format("{} {} {}", preposition(report), count, rows);
}

/// "with TP=4, with TP=8", or how many of all rows these are.
std::string named_rows(const FitReport& report, const Rows& rows, std::size_t all) {
  if (rows.size() > kMostNamed)
    return counted_rows(report, fmt::format("{} of {}", format_count(rows.size()), format_count(all)));
  std::vector<std::string> phrases;
  for (const FitRow* const row : rows)
    phrases.push_back(row_phrase(report, *row));
  return fmt::format("{}", fmt::join(phrases, ", "));
}

/// "3 of 512 ranks were rehearsed; the others may differ." of a job, after a space; else "".
std::string rehearsed_text(const FitRow& row) {
  const std::uint64_t ranks = row.answer->ranks;
  if (!row.answer->rank) return "";
  const auto count = static_cast<std::uint64_t>(std::count_if(
      row.runs.begin(), row.runs.end(), [&](const FitRun* run) { return run->point == row.answer->point; }));
  return fmt::format(" {} of {} {} rehearsed{}", format_count(count), format_counted(ranks, "rank"),
                     count == 1 ? "was" : "were", count == ranks ? "." : "; the others may differ.");
}

std::string range_text(const Axis& axis) {
  return fmt::format("{}={}..{}", axis.name, axis.low, axis.high);
}

/// "BATCH=7 is the largest that surely fits; up to BATCH=9 may fit. BATCH=10 does not."
std::string unsure_text(const Axis& axis, const FitRow& row) {
  std::string text =
      row.sure ? fmt::format("{0}={1} is the largest that surely fits; up to {0}={2} may fit.", axis.name, *row.sure,
                             *row.largest)
               : fmt::format("{0}={1} is the largest that may fit, and none surely fits.", axis.name, *row.largest);
  if (*row.largest < axis.high) text += fmt::format(" {}={} does not.", axis.name, *row.largest + 1);
  return text;
}

/// "is 24", "is 24 (28 may fit)"
std::string largest_words(const FitRow& row) {
  if (row.sure == row.largest) return fmt::format("is {}", *row.largest);
  return row.sure ? fmt::format("is {} ({} may fit)", *row.sure, *row.largest)
                  : fmt::format("is at most {}", *row.largest);
}

std::string search_text(const FitReport& report, const FitRow& row) {
  const Axis& axis = *searched_axis(report.axes);
  const std::string within = range_text(axis);
  if (row.outcome != FitOutcome::fits && row.outcome != FitOutcome::does_not_fit)
    return fmt::format("No answer for {}: with {}={} the program {}", within, axis.name, row.answer->point.back(),
                       row.outcome == FitOutcome::failed ? "failed for a reason other than memory."
                                                         : "never used a GPU.");
  if (!row.largest && row.answer->point.back() != std::to_string(axis.low))
    return fmt::format("None of {0} fits: {1}={2} does not, and the program fails with {1}={3}.", within, axis.name,
                       row.answer->point.back(), row.points.front()->point.back());
  if (!row.largest) return fmt::format("None of {} fits: {}={} does not.", within, axis.name, axis.low);
  if (makes_no_difference(report, row))
    return fmt::format("All of {} {}, with the same peak: does the program read {}?", within,
                       row.sure == row.largest ? "fit" : "may fit", axis.name);
  if (row.sure != row.largest) return unsure_text(axis, row);
  if (*row.largest == axis.high) return fmt::format("All of {} fit: {}={} does.", within, axis.name, axis.high);
  return fmt::format("{0}={1} is the largest that fits; {0}={2} does not.", axis.name, *row.largest, *row.largest + 1);
}

/// The rows of a report, by outcome.
struct Outcomes {
  Rows fits;
  Rows do_not_fit;
  Rows unknown;
  std::size_t all = 0;
};

Outcomes outcomes_of(const FitReport& report, const std::vector<FitRow>& rows) {
  Outcomes outcomes;
  for (const FitRow& row : rows) {
    if (!is_unchanged(report, row)) continue;
    ++outcomes.all;
    Rows& list = row.outcome == FitOutcome::fits           ? outcomes.fits
                 : row.outcome == FitOutcome::does_not_fit ? outcomes.do_not_fit
                                                           : outcomes.unknown;
    list.push_back(&row);
  }
  return outcomes;
}

/// "With LEN=1024 the largest BATCH is 24, with LEN=8192 it is 2."; of many rows the largest and the smallest.
std::string largest_text(const FitReport& report, Rows rows) {
  if (rows.size() > kMostNamed) {
    const auto less = [](const FitRow* one, const FitRow* other) { return one->largest < other->largest; };
    const FitRow* const most = *std::ranges::max_element(rows, less);
    const FitRow* const least = *std::min_element(rows.rbegin(), rows.rend(), less);
    rows = {most, least};
  }
  std::string text;
  for (const FitRow* const row : rows)
    text += text.empty() ? fmt::format("{} the largest {} {}", capitalized(row_phrase(report, *row)),
                                       searched_axis(report.axes)->name, largest_words(*row))
                         : fmt::format(", {} it {}", row_phrase(report, *row), largest_words(*row));
  return text + '.';
}

std::string searches_headline(const FitReport& report, const Outcomes& outcomes) {
  const auto& [fits, do_not_fit, unknown, all] = outcomes;
  std::string text = fits.empty() ? "" : largest_text(report, fits);
  const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
  if (!do_not_fit.empty() && fits.empty())
    add(fmt::format("None of {} fits {}.", range_text(*searched_axis(report.axes)),
                    named_rows(report, do_not_fit, all)));
  else if (do_not_fit.size() == 1)
    add(fmt::format("{} none fits.", capitalized(row_phrase(report, *do_not_fit.front()))));
  else if (!do_not_fit.empty())
    add(fmt::format("None fits {}.", named_rows(report, do_not_fit, all)));
  if (!unknown.empty()) add(fmt::format("No answer {}.", named_rows(report, unknown, all)));
  return text;
}

std::size_t sure_rows(const FitReport& report, const Outcomes& outcomes) {
  return static_cast<std::size_t>(
      std::ranges::count_if(outcomes.fits, [&](const FitRow* row) { return surely_fits(report, *row); }));
}

/// "Fits on all 3 GPUs", "May fit on 2 of 3 GPUs", "Fits on 1 of 3 GPUs, and may fit on 1"
std::string fitting_text(const FitReport& report, const Outcomes& outcomes) {
  const auto rows = [&](std::size_t count) {
    const std::string all = format_count(outcomes.all);
    return counted_rows(report,
                        count == outcomes.all ? "all " + all : fmt::format("{} of {}", format_count(count), all));
  };
  const std::size_t fits = outcomes.fits.size();
  const std::size_t sure = sure_rows(report, outcomes);
  if (sure == 0) return "May fit " + rows(fits);
  const std::string text = "Fits " + rows(sure);
  return sure == fits ? text
                      : text + fmt::format(", and may fit {} {}", preposition(report), format_count(fits - sure));
}

/// "Fits on 2 of 3 GPUs. The smallest of them is NVIDIA ...", "Fits with 1 of 2 values of TP: with TP=4 on NVIDIA ..."
std::string points_headline(const FitReport& report, const Outcomes& outcomes, const FitRow& answer) {
  const std::size_t fits = outcomes.fits.size();
  const std::size_t unknown = outcomes.unknown.size();
  const std::string all = format_count(outcomes.all);
  if (unknown == outcomes.all) return fmt::format("No answer {}.", counted_rows(report, "any of " + all));
  std::string text;
  if (fits == 0) {
    text = fmt::format("Fits {}.", counted_rows(report, "none of " + all));
  } else {
    const std::string values = values_phrase(report, answer);
    const std::size_t sure = sure_rows(report, outcomes);
    const std::string_view smallest =
        sure == 0 || sure == fits ? "The smallest of them is" : "The smallest on which it surely fits is";
    const std::string first = values.empty() ? std::string(smallest) : capitalized(values) + " on";
    text = fmt::format("{}{} {}.", fitting_text(report, outcomes),
                       fits > 1         ? ". " + first
                       : values.empty() ? ":"
                                        : ": " + values + " on",
                       room_text(answer.answer->verdict));
  }
  if (unknown > 0) text += fmt::format(" No answer {} {}.", preposition(report), format_count(unknown));
  return text;
}

std::string change(std::uint64_t before_bytes, std::uint64_t after_bytes) {
  return fmt::format("{} ({})", format_bytes(after_bytes),
                     format_delta(static_cast<std::int64_t>(after_bytes) - static_cast<std::int64_t>(before_bytes)));
}

/// "fits", "does not fit", "still fits", "still does not fit"
std::string change_words(FitOutcome before, FitOutcome after) {
  if (after != FitOutcome::fits && after != FitOutcome::does_not_fit) return "no answer";
  const bool fits = after == FitOutcome::fits;
  if (before == after) return fits ? "still fits" : "still does not fit";
  return fits ? "fits" : "does not fit";
}

/// "still fits; peak 41.2 GiB (+1.00 GiB), left 38.0 GiB (-1.00 GiB)."
std::string memory_change(const FitRow& usual, const FitRow& row) {
  const DeviceUse* const before = fullest(usual.answer->verdict.facts);
  const DeviceUse* const after = fullest(row.answer->verdict.facts);
  std::string text = change_words(usual.outcome, row.outcome);
  if (before == nullptr || after == nullptr) return text + '.';
  text += fmt::format("; peak {}", change(before->peak_bytes, after->peak_bytes));
  if (before->peak_reserved_bytes && after->peak_reserved_bytes)
    text += fmt::format(", of which PyTorch {}", change(*before->peak_reserved_bytes, *after->peak_reserved_bytes));
  return text + fmt::format(", left {}.", change(before->left_bytes(), after->left_bytes()));
}

/// "the largest BATCH is 28 (+4)."
std::string largest_change(const FitReport& report, const FitRow& usual, const FitRow& row) {
  const Axis& axis = *searched_axis(report.axes);
  if (row.outcome == FitOutcome::does_not_fit) return fmt::format("none of {} fits.", range_text(axis));
  if (!row.largest) return "no answer.";
  if (row.largest == usual.largest) return fmt::format("the largest {} is still {}.", axis.name, *row.largest);
  const std::string text = fmt::format("the largest {} is {}", axis.name, *row.largest);
  if (!usual.largest) return text + '.';
  const bool is_less = *row.largest < *usual.largest;
  return text + fmt::format(" ({}{}).", is_less ? "-" : "+",
                            is_less ? *usual.largest - *row.largest : *row.largest - *usual.largest);
}

} // namespace

std::string point_name(const std::vector<Axis>& axes, const std::vector<std::string>& point) {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool has_name = axes[i].kind != AxisKind::gpu && axes[i].kind != AxisKind::setting;
    text += (text.empty() ? "" : ", ") + (has_name ? axes[i].name + '=' : "") + printable(point[i]);
  }
  return text;
}

std::string largest_word(const FitRow& row) {
  if (row.largest && row.sure != row.largest)
    return (row.sure ? std::to_string(*row.sure) + ", " : "") + std::to_string(*row.largest) + " may";
  if (row.largest) return std::to_string(*row.largest);
  return row.outcome == FitOutcome::does_not_fit ? "none" : "unknown";
}

std::string report_headline(const FitReport& report) {
  const std::vector<FitRow> rows = rows_of(report);
  const FitRow& answer = answering_row(report, rows);
  const FitRun& run = *answer.answer;
  const Outcomes outcomes = outcomes_of(report, rows);
  const bool is_search = searched_axis(report.axes) != nullptr;
  std::string text;
  if (outcomes.all > 1) {
    text = is_search ? searches_headline(report, outcomes) : points_headline(report, outcomes, answer);
  } else if (is_search) {
    const std::string phrase = capitalized(row_phrase(report, answer));
    text = phrase + (phrase.empty() ? "" : ": ") + search_text(report, answer);
  } else {
    text = (run.rank ? fmt::format("Rank {} of {} decides. ", *run.rank, run.ranks) : "") + headline(run.verdict);
  }
  return text + rehearsed_text(answer);
}

std::string row_text(const FitReport& report, const FitRow& usual, const FitRow& row) {
  const bool is_search = searched_axis(report.axes) != nullptr;
  if (is_unchanged(report, row)) return is_search ? search_text(report, row) : headline(row.answer->verdict);
  return fmt::format("{}: {}", capitalized(row_phrase(report, row)),
                     is_search ? largest_change(report, usual, row) : memory_change(usual, row));
}

} // namespace memviz::rehearse
