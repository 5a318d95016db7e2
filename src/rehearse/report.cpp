#include "rehearse/report.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::rehearse {

namespace {

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

void write_change(JsonWriter& json, const FitVerdict& before, const FitVerdict& after) {
  const DeviceUse* const first = fullest(before.facts);
  const DeviceUse* const second = fullest(after.facts);
  json.key("change");
  if (first == nullptr || second == nullptr) {
    json.value(nullptr);
    return;
  }
  const auto delta = [](std::uint64_t from, std::uint64_t to) {
    return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
  };
  json.begin_object().member("peak_bytes", delta(first->peak_bytes, second->peak_bytes)).key("peak_reserved_bytes");
  if (first->peak_reserved_bytes && second->peak_reserved_bytes)
    json.value(delta(*first->peak_reserved_bytes, *second->peak_reserved_bytes));
  else
    json.value(nullptr);
  json.member("left_bytes", delta(first->left_bytes(), second->left_bytes())).end_object();
}

void write_search(JsonWriter& json, const SearchReport& report) {
  json.key("search")
      .begin_object()
      .member("name", report.range.name)
      .member("low", report.range.low)
      .member("high", report.range.high)
      .member("has_answer", report.has_answer)
      .member("largest", report.largest)
      .member("text", search_sentence(report))
      .key("runs")
      .begin_array();
  for (const SearchRun& run : report.runs)
    json.begin_object()
        .member("value", run.value)
        .member("outcome", outcome_word(run.verdict.outcome))
        .member("peak_bytes", peak_of(run.verdict))
        .end_object();
  json.end_array().end_object();
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
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.rehearse/1.0").member("schema_version", kSchemaVersion);
    write_search(json, report);
    const SearchRun& told = told_run(report);
    json.member("value", told.value).key("verdict");
    write_verdict(json, told.verdict);
    json.end_object();
  });
}

std::string variants_text(const VariantsReport& report, std::size_t columns) {
  std::string text = verdict_text(report.usual, columns);
  if (!report.variants.empty()) text += "\nWhat changes\n";
  for (const Variant& variant : report.variants)
    text += wrapped_text(variant_line(report, variant), "  - ", columns);
  return text;
}

std::string variants_json(const VariantsReport& report) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.rehearse/1.0").member("schema_version", kSchemaVersion).key("verdict");
    write_verdict(json, report.usual);
    if (!report.variants.empty()) {
      json.key("variants").begin_array();
      for (const Variant& variant : report.variants) {
        json.begin_object().member("setting", variant.setting).member("text", variant_line(report, variant));
        write_change(json, report.usual, variant.verdict);
        json.key("verdict");
        write_verdict(json, variant.verdict);
        json.end_object();
      }
      json.end_array();
    }
    json.end_object();
  });
}

} // namespace memviz::rehearse
