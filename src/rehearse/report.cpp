#include "rehearse/report.hpp"

#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/json_text.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::rehearse {

namespace {

using Json = nlohmann::ordered_json;

/// Raised when a name or a meaning changes; what is added does not count.
constexpr int kSchemaVersion = 1;

const SearchRun* run_of(const SearchReport& report, std::optional<std::uint64_t> value) {
  const auto found = std::find_if(report.runs.begin(), report.runs.end(),
                                  [&](const SearchRun& run) { return value && run.value == *value; });
  return found == report.runs.end() ? nullptr : &*found;
}

/// The one that the answer is about: the largest that fits, else the last one.
const SearchRun& told_run(const SearchReport& report) {
  const SearchRun* const largest = run_of(report, report.largest);
  return largest == nullptr ? report.runs.back() : *largest;
}

std::uint64_t peak_of(const FitVerdict& verdict) {
  const DeviceUse* const use = fullest(verdict.facts);
  return use == nullptr ? 0 : use->peak_bytes;
}

/// A program that does not read the variable takes the same with all of its values.
bool makes_no_difference(const SearchReport& report) {
  return report.has_answer && report.runs.size() == 2 && report.largest == report.range.high &&
         peak_of(report.runs[0].verdict) == peak_of(report.runs[1].verdict);
}

std::string search_sentence(const SearchReport& report) {
  const SearchRange& range = report.range;
  const std::string within = fmt::format("{}={}..{}", range.name, range.low, range.high);
  if (!report.has_answer)
    return fmt::format("No answer for {}: with {}={} the program {}", within, range.name, report.runs.back().value,
                       report.runs.back().verdict.outcome == FitOutcome::failed
                           ? "failed for another reason than memory."
                           : "never used a GPU.");
  if (!report.largest) return fmt::format("None of {} fits: {}={} does not.", within, range.name, range.low);
  if (makes_no_difference(report))
    return fmt::format("All of {} fit, with the same peak: does the program read {}?", within, range.name);
  if (*report.largest == range.high) return fmt::format("All of {} fit: {}={} does.", within, range.name, range.high);
  return fmt::format("{0}={1} is the largest that fits; {0}={2} does not.", range.name, *report.largest,
                     *report.largest + 1);
}

std::string change(std::uint64_t before_bytes, std::uint64_t after_bytes) {
  return fmt::format("{} ({})", format_bytes(after_bytes),
                     format_delta(static_cast<std::int64_t>(after_bytes) - static_cast<std::int64_t>(before_bytes)));
}

/// "Fits now", "does not fit any more", "still fits", "still does not fit"
std::string change_words(FitOutcome before, FitOutcome after) {
  if (after != FitOutcome::fits && after != FitOutcome::does_not_fit) return "no answer";
  const bool fits = after == FitOutcome::fits;
  if (before == after) return fits ? "still fits" : "still does not fit";
  return fits ? "fits" : "does not fit";
}

std::string variant_line(const VariantsReport& report, const Variant& variant) {
  const DeviceUse* const before = fullest(report.usual.facts);
  const DeviceUse* const after = fullest(variant.verdict.facts);
  std::string text = fmt::format("With {}: {}", printable(variant.setting),
                                 change_words(report.usual.outcome, variant.verdict.outcome));
  if (before == nullptr || after == nullptr) return text + '.';
  text += fmt::format("; peak {}", change(before->peak_bytes, after->peak_bytes));
  if (before->peak_reserved_bytes && after->peak_reserved_bytes)
    text += fmt::format(", of which PyTorch {}", change(*before->peak_reserved_bytes, *after->peak_reserved_bytes));
  return text + fmt::format(", left {}.", change(before->left_bytes(), after->left_bytes()));
}

Json change_json(const FitVerdict& before, const FitVerdict& after) {
  const DeviceUse* const first = fullest(before.facts);
  const DeviceUse* const second = fullest(after.facts);
  if (first == nullptr || second == nullptr) return nullptr;
  const auto delta = [](std::uint64_t from, std::uint64_t to) {
    return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
  };
  Json result{{"peak_bytes", delta(first->peak_bytes, second->peak_bytes)},
              {"peak_reserved_bytes", nullptr},
              {"left_bytes", delta(first->left_bytes(), second->left_bytes())}};
  if (first->peak_reserved_bytes && second->peak_reserved_bytes)
    result["peak_reserved_bytes"] = delta(*first->peak_reserved_bytes, *second->peak_reserved_bytes);
  return result;
}

} // namespace

std::string search_text(const SearchReport& report, std::size_t columns) {
  std::string text = wrapped_text(search_sentence(report), "", columns) + '\n';
  const SearchRun& told = told_run(report);
  text += fmt::format("{}={}\n", report.range.name, told.value);
  text += verdict_text(told.verdict, columns);
  return text + '\n' +
         wrapped_text(fmt::format("Found by bisection in {}, which takes for granted that what fits, fits with less.",
                                  format_counted(report.runs.size(), "run")),
                      "", columns);
}

std::string search_json(const SearchReport& report) {
  Json runs = Json::array();
  for (const SearchRun& run : report.runs)
    runs.push_back(
        {{"value", run.value}, {"outcome", outcome_word(run.verdict.outcome)}, {"peak_bytes", peak_of(run.verdict)}});
  Json result{{"schema_version", kSchemaVersion}};
  result["search"] = {{"name", report.range.name},
                      {"low", report.range.low},
                      {"high", report.range.high},
                      {"has_answer", report.has_answer},
                      {"largest", report.largest ? Json(*report.largest) : Json(nullptr)},
                      {"text", search_sentence(report)},
                      {"runs", std::move(runs)}};
  const SearchRun& told = told_run(report);
  result["value"] = told.value;
  result["verdict"] = verdict_json(told.verdict);
  return json_text(result, 2) + '\n';
}

std::string variants_text(const VariantsReport& report, std::size_t columns) {
  std::string text = verdict_text(report.usual, columns);
  if (!report.variants.empty()) text += "\nWhat changes\n";
  for (const Variant& variant : report.variants)
    text += wrapped_text(variant_line(report, variant), "  - ", columns);
  return text;
}

std::string variants_json(const VariantsReport& report) {
  Json result{{"schema_version", kSchemaVersion}};
  result["verdict"] = verdict_json(report.usual);
  if (report.variants.empty()) return json_text(result, 2) + '\n';
  result["variants"] = Json::array();
  for (const Variant& variant : report.variants)
    result["variants"].push_back({{"setting", variant.setting},
                                  {"text", variant_line(report, variant)},
                                  {"change", change_json(report.usual, variant.verdict)},
                                  {"verdict", verdict_json(variant.verdict)}});
  return json_text(result, 2) + '\n';
}

} // namespace memviz::rehearse
