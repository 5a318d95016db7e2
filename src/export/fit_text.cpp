#include "memviz/fit.hpp"
#include "memviz/fit_report.hpp"

#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/text_table.hpp"
#include "memviz/fit_words.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/moment_words.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kMostRows = 16;
constexpr std::size_t kNameColumns = 120;

std::string use_name(const DeviceUse& use, const RunFacts& facts) {
  std::string name = device_name(use.device, false);
  if (use.rank) return fmt::format("rank {}, {}", *use.rank, name);
  const bool is_only_process =
      std::all_of(facts.uses.begin(), facts.uses.end(), [&](const DeviceUse& other) { return other.pid == use.pid; });
  return is_only_process ? name : fmt::format("process {}, {}", use.pid, name);
}

/// Every device of every process; of many, the fullest.
std::string use_table(const RunFacts& facts) {
  if (facts.uses.empty()) return "";
  std::vector<const DeviceUse*> shown;
  for (const DeviceUse& use : facts.uses)
    shown.push_back(&use);
  if (shown.size() > kMostRows) {
    std::stable_sort(shown.begin(), shown.end(), [](const DeviceUse* one, const DeviceUse* other) {
      return one->left_bytes() < other->left_bytes();
    });
    shown.resize(kMostRows);
  }
  TextTable table{Align::left, Align::right, Align::right, Align::right, Align::right, Align::right};
  table.add_row({"", "peak", "of which PyTorch", "context", "memory", "left"});
  for (const DeviceUse* use : shown)
    table.add_row({use_name(*use, facts), format_bytes(use->peak_bytes),
                   use->peak_reserved_bytes ? format_bytes(*use->peak_reserved_bytes) : "unknown",
                   format_bytes(use->context_bytes), format_bytes(use->total_bytes), format_bytes(use->left_bytes())});
  const std::size_t more = facts.uses.size() - shown.size();
  return '\n' + table.text("  ") + (more > 0 ? fmt::format("  and {} more, with more room\n", format_count(more)) : "");
}

std::string holders(const std::string& title, const FileFacts& facts) {
  if (facts.holders.empty()) return "";
  const DeviceFigures& figures = facts.device.figures;
  TextTable table{Align::right, Align::right, Align::left};
  for (const Holder& holder : facts.holders)
    table.add_row({format_bytes(holder.bytes), format_percent(holder.bytes, figures.requested_bytes),
                   elided(holder.line, kNameColumns)});
  return fmt::format("\n{} {} ({} asked for, {} reserved)\n", title, moment_text(facts.device),
                     format_bytes(figures.requested_bytes), format_bytes(figures.reserved_bytes)) +
         table.text("  ");
}

std::string sentences(const std::string& title, const std::vector<std::string>& list, std::size_t columns) {
  if (list.empty()) return "";
  std::string text = '\n' + title + '\n';
  for (const std::string& sentence : list)
    if (!sentence.empty()) text += wrapped_text(sentence, "  - ", columns);
  return text;
}

std::string failure_text(const Failure& failure, std::size_t columns) {
  std::string text = '\n' + wrapped_text(failure.words.headline, "", columns);
  text += wrapped_text(failure.words.verdict, "", columns);
  text += sentences("What would have helped", failure.words.answers, columns);
  text += sentences("Advice", failure.words.advice, columns);
  return text + holders("Who held it", failure.facts);
}

std::string files(const RunFacts& facts) {
  std::string text;
  for (const OutOfMemoryFact& oom : facts.ooms)
    if (!oom.file.empty()) text += fmt::format("  {}  (at an out-of-memory error)\n", printable(oom.file));
  for (const WrittenFile& file : facts.files)
    text += fmt::format("  {}\n", printable(file.path));
  return text.empty() ? "" : "\nWhat was recorded\n" + text;
}

std::string verdict_text(const FitVerdict& verdict, std::size_t columns) {
  std::string text = wrapped_text(headline(verdict), "", columns);
  text += use_table(verdict.facts);
  if (verdict.failure)
    text += failure_text(*verdict.failure, columns);
  else if (verdict.peak)
    text += holders("Who holds it", *verdict.peak);
  text += files(verdict.facts);
  return text + sentences("What to know", notes(verdict), columns);
}

/// A line for each rank.
std::string rank_table(const RanksReport& report) {
  TextTable table{Align::right, Align::right, Align::right, Align::right, Align::left};
  table.add_row({"rank", "peak", "of which PyTorch", "left", "who holds most"});
  for (const RankRun& run : report.runs) {
    const DeviceUse* const use = fullest(run.verdict.facts);
    const auto& peak = run.verdict.peak;
    if (use == nullptr || run.verdict.outcome != FitOutcome::fits)
      table.add_row({std::to_string(run.rank), "", "", "", short_text(run.verdict)});
    else
      table.add_row({std::to_string(run.rank), format_bytes(use->peak_bytes),
                     use->peak_reserved_bytes ? format_bytes(*use->peak_reserved_bytes) : "unknown",
                     format_bytes(use->left_bytes()),
                     peak && !peak->holders.empty() ? elided(peak->holders.front().line, kNameColumns) : ""});
  }
  return '\n' + table.text("  ");
}

} // namespace

std::string ranks_text(const RanksReport& report, std::size_t columns) {
  const RankRun& run = deciding_run(report);
  return wrapped_text(ranks_headline(report), "", columns) + rank_table(report) + fmt::format("\nRank {}\n", run.rank) +
         verdict_text(run.verdict, columns);
}

std::string search_text(const SearchReport& report, std::size_t columns) {
  std::string text = wrapped_text(search_headline(report), "", columns) + '\n';
  const SearchRun& run = answering_run(report);
  text += fmt::format("{}={}\n", report.range.name, run.value);
  text += verdict_text(run.verdict, columns);
  return text + '\n' +
         wrapped_text(fmt::format("Found by bisection in {}, which takes for granted that what fits, fits with less.",
                                  format_counted(report.runs.size(), "run")),
                      "", columns);
}

std::string variants_text(const VariantsReport& report, std::size_t columns) {
  std::string text = verdict_text(report.usual, columns);
  if (!report.variants.empty()) text += "\nWhat changes\n";
  for (const Variant& variant : report.variants)
    text += wrapped_text(variant_headline(report.usual, variant), "  - ", columns);
  return text;
}

} // namespace memviz::rehearse
