#include "base/printable.hpp"
#include "memviz/fit_words.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace memviz::rehearse {

namespace {

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

} // namespace

std::string search_headline(const SearchReport& report) {
  const SearchRange& range = report.range;
  const std::string within = fmt::format("{}={}..{}", range.name, range.low, range.high);
  if (!report.has_answer)
    return fmt::format("No answer for {}: with {}={} the program {}", within, range.name, report.runs.back().value,
                       report.runs.back().verdict.outcome == FitOutcome::failed
                           ? "failed for a reason other than memory."
                           : "never used a GPU.");
  if (!report.largest) return fmt::format("None of {} fits: {}={} does not.", within, range.name, range.low);
  if (makes_no_difference(report))
    return fmt::format("All of {} fit, with the same peak: does the program read {}?", within, range.name);
  if (*report.largest == range.high) return fmt::format("All of {} fit: {}={} does.", within, range.name, range.high);
  return fmt::format("{0}={1} is the largest that fits; {0}={2} does not.", range.name, *report.largest,
                     *report.largest + 1);
}

std::string frontier_headline(const FrontierReport& report) {
  const std::string& name = report.range.name;
  const FrontierRow& last = report.rows.back();
  const auto fitting = [](const FrontierRow& row) { return row.search.largest.has_value(); };
  const auto first_without = std::ranges::find_if_not(report.rows, fitting);
  if (first_without == report.rows.begin())
    return fmt::format("With {}={}: {}", name, last.value, search_headline(last.search));
  const FrontierRow& low = report.rows.front();
  const FrontierRow& high = *(first_without - 1);
  std::string text =
      fmt::format("With {}={} the largest {} is {}", name, low.value, low.search.range.name, *low.search.largest);
  if (&high != &low) text += fmt::format(", with {}={} it is {}", name, high.value, *high.search.largest);
  if (first_without == report.rows.end()) return text + '.';
  if (!last.search.has_answer) return text + fmt::format(". No answer with {}={}.", name, last.value);
  return text + fmt::format(". With {}={} none fits.", name, last.value);
}

std::string variant_headline(const FitVerdict& usual, const Variant& variant) {
  const DeviceUse* const before = fullest(usual.facts);
  const DeviceUse* const after = fullest(variant.verdict.facts);
  std::string text =
      fmt::format("With {}: {}", printable(variant.setting), change_words(usual.outcome, variant.verdict.outcome));
  if (before == nullptr || after == nullptr) return text + '.';
  text += fmt::format("; peak {}", change(before->peak_bytes, after->peak_bytes));
  if (before->peak_reserved_bytes && after->peak_reserved_bytes)
    text += fmt::format(", of which PyTorch {}", change(*before->peak_reserved_bytes, *after->peak_reserved_bytes));
  return text + fmt::format(", left {}.", change(before->left_bytes(), after->left_bytes()));
}

} // namespace memviz::rehearse
