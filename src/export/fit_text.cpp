#include "memviz/fit.hpp"
#include "memviz/fit_report.hpp"

#include "base/capitalized.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/fit_server_text.hpp"
#include "export/stack_lines.hpp"
#include "export/text_table.hpp"
#include "memviz/fit_server_settings.hpp"
#include "memviz/fit_server_words.hpp"
#include "memviz/fit_words.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/moment_words.hpp"
#include "memviz/perfect_allocator_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kMostRows = 16;
constexpr std::size_t kNameColumns = 120;

std::string use_name(const DeviceUse& use, const RunFacts& facts) {
  std::string name = device_name(use.device, DeviceKind::cuda);
  if (use.rank) return fmt::format("rank {}, {}", *use.rank, name);
  const bool is_only_process =
      std::all_of(facts.uses.begin(), facts.uses.end(), [&](const DeviceUse& other) { return other.pid == use.pid; });
  return is_only_process ? name : fmt::format("process {}, {}", use.pid, name);
}

/// Returns PyTorch's part of the peak. After a server has released memory, PyTorch's count can exceed the device's use.
std::string pytorch_text(const DeviceUse& use) {
  const bool is_part = use.peak_reserved_bytes && *use.peak_reserved_bytes <= use.peak_bytes;
  return is_part ? format_bytes(*use.peak_reserved_bytes) : "unknown";
}

/// Returns a row for every device of every process; if there are many, for the fullest.
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
  const bool has_outside = std::ranges::any_of(shown, [](const auto* use) { return use->outside_bytes > 0; });
  std::vector<Align> columns(has_outside ? 7 : 6, Align::right);
  columns.front() = Align::left;
  TextTable table(std::move(columns));
  const auto add = [&](std::vector<std::string> cells, std::string outside) {
    if (has_outside) cells.insert(cells.begin() + 4, std::move(outside));
    table.add_row(std::move(cells));
  };
  add({"", "peak", "of which PyTorch", "context", "memory", "left"}, "outside");
  for (const DeviceUse* use : shown)
    add({use_name(*use, facts), format_bytes(use->peak_bytes), pytorch_text(*use), format_bytes(use->context_bytes),
         format_bytes(use->total_bytes), format_bytes(use->left_bytes())},
        format_bytes(use->outside_bytes));
  const std::size_t more = facts.uses.size() - shown.size();
  return '\n' + table.text("  ") +
         (more > 0 ? fmt::format("  and {} more, with more memory left\n", format_count(more)) : "");
}

/// Returns "" if no kind is known.
std::string by_kind(const FileFacts& facts) {
  const std::string shares = kind_shares_text(facts.kinds);
  return shares.empty() ? "" : "  by kind: " + shares + '\n';
}

/// Returns a line with the bytes and kinds of a part of the held memory.
std::string part_line(std::string_view name, const KindAccount& part) {
  const std::string shares = kind_shares_text(part);
  return fmt::format("  {}: {}{}{}\n", name, format_bytes(bytes_of_kinds(part)), shares.empty() ? "" : ", ", shares);
}

/// Returns the parts of a server and of the program around it, which may be training; "" if one of them holds almost
/// everything.
std::string around_server(const FileFacts& facts) {
  constexpr std::uint64_t kLeastPart = 100;
  const KindAccount around = difference(facts.kinds, facts.server_kinds);
  const std::uint64_t all_bytes = bytes_of_kinds(facts.kinds);
  if (std::min(bytes_of_kinds(around), bytes_of_kinds(facts.server_kinds)) <= all_bytes / kLeastPart) return "";
  return part_line("the server", facts.server_kinds) + part_line("the program around it", around);
}

std::string holders(const std::string& title, const FileFacts& facts, std::size_t columns) {
  constexpr std::size_t kFigures = 22; // the columns before the line
  if (facts.holders.empty()) return "";
  const DeviceFigures& figures = facts.device.figures;
  TextTable table{Align::right, Align::right, Align::left};
  const auto add = [&](const Holder& holder, std::string_view indent) {
    const std::string line = std::string(indent) + with_source(elided(holder.line, kNameColumns), holder.source);
    table.add_row({format_bytes(holder.bytes), format_percent(holder.bytes, figures.requested_bytes),
                   with_callers(line, holder.callers, columns - std::min(columns, kFigures))});
  };
  for (const Holder& holder : facts.holders) {
    add(holder, "");
    for (const Holder& inner : holder.within)
      add(inner, "  ");
  }
  const auto perfect = perfect_allocator(facts.device);
  return fmt::format("\n{} {} ({} asked for, {} reserved)\n", title, moment_text(facts.device),
                     format_bytes(figures.requested_bytes), format_bytes(figures.reserved_bytes)) +
         table.text("  ") +
         (perfect ? fmt::format("  {}\n", capitalized(perfect_allocator_text(*perfect)) + ".") : "") + by_kind(facts) +
         around_server(facts);
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
  text += sentences("What would help", failure.words.helps, columns);
  text += holders("Who held it", failure.facts, columns);
  return text + sentences("What would not have helped, or is unknown", failure.words.does_not_help, columns);
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
  if (verdict.facts.server) text += server_table(*verdict.facts.server);
  text += sentences("Nearest settings that may fit (give one to the server and rehearse it again)",
                    settings_that_start(verdict), columns);
  if (verdict.failure)
    text += failure_text(*verdict.failure, columns);
  else if (verdict.peak)
    text += holders("Who holds it", *verdict.peak, columns);
  text += files(verdict.facts);
  return text + sentences("What to know", notes(verdict), columns);
}

/// Adds the cells of a run: the answer, the peak, PyTorch's part of it, the rest of the device, for servers the tokens
/// and the requests that the KV cache holds, and what decides.
void add_answer(std::vector<std::string>& cells, const FitVerdict& verdict, bool is_server = false) {
  const DeviceUse* const use = fullest(verdict.facts);
  cells.emplace_back(answer_word(verdict.outcome));
  if (use == nullptr || verdict.outcome != FitOutcome::fits)
    cells.insert(cells.end(), 3, "");
  else
    cells.insert(cells.end(), {format_bytes(use->peak_bytes), pytorch_text(*use), format_bytes(use->left_bytes())});
  if (const auto& server = verdict.facts.server; is_server && server && verdict.outcome == FitOutcome::fits)
    cells.insert(cells.end(),
                 {server->cache_tokens ? format_count(*server->cache_tokens) : "unknown", requests_text(*server)});
  else if (is_server)
    cells.insert(cells.end(), 2, "");
  cells.push_back(deciding_memory(verdict));
}

/// Returns a line for each rank, the deciding one first.
std::string rank_table(const RanksReport& report) {
  TextTable table{Align::right, Align::left, Align::right, Align::right, Align::right, Align::left};
  table.add_row({"rank", "answer", "peak", "of which PyTorch", "left", "what decides"});
  const RankRun& deciding = deciding_run(report);
  const auto add = [&](const RankRun& run) {
    std::vector<std::string> cells{std::to_string(run.rank)};
    add_answer(cells, run.verdict);
    table.add_row(std::move(cells));
  };
  add(deciding);
  for (const RankRun& run : report.runs)
    if (run.rank != deciding.rank) add(run);
  return '\n' + table.text("  ");
}

/// Returns a line for each GPU, and for a job its deciding rank.
std::string gpu_table(const GpusReport& report) {
  const bool is_job = report.gpus.front().ranks > 1;
  std::vector<Align> columns{Align::left, Align::right};
  std::vector<std::string> head{"GPU", "memory"};
  if (is_job) {
    columns.push_back(Align::right);
    head.emplace_back("rank");
  }
  columns.insert(columns.end(), {Align::left, Align::right, Align::right, Align::right});
  head.insert(head.end(), {"answer", "peak", "of which PyTorch", "left"});
  const bool is_server = std::ranges::any_of(
      report.gpus, [](const RanksReport& gpu) { return deciding_run(gpu).verdict.facts.server.has_value(); });
  if (is_server) {
    columns.insert(columns.end(), 2, Align::right);
    head.insert(head.end(), {"tokens of KV cache", "requests at once"});
  }
  columns.push_back(Align::left);
  head.emplace_back("what decides");
  TextTable table(std::move(columns));
  table.add_row(std::move(head));
  for (const RanksReport& gpu : report.gpus) {
    const RankRun& run = deciding_run(gpu);
    std::vector<std::string> cells{profile_of(gpu).name, format_bytes(profile_of(gpu).total_bytes)};
    if (is_job) cells.push_back(std::to_string(run.rank));
    add_answer(cells, run.verdict, is_server);
    table.add_row(std::move(cells));
  }
  return '\n' + table.text("  ");
}

/// Returns the peak of each rank on each GPU.
std::string rank_by_gpu_table(const GpusReport& report) {
  TextTable table(std::vector<Align>(report.gpus.size() + 1, Align::right));
  std::vector<std::string> head{"rank"};
  std::map<std::uint64_t, std::vector<std::string>> rows;
  for (std::size_t i = 0; i < report.gpus.size(); ++i) {
    head.push_back(profile_of(report.gpus[i]).name);
    for (const RankRun& run : report.gpus[i].runs) {
      std::vector<std::string>& cells = rows[run.rank];
      cells.resize(i);
      cells.push_back(run.verdict.outcome == FitOutcome::fits ? format_bytes(peak_of(run.verdict))
                                                              : std::string(answer_word(run.verdict.outcome)));
    }
  }
  table.add_row(std::move(head));
  for (auto& [rank, cells] : rows) {
    cells.insert(cells.begin(), std::to_string(rank));
    table.add_row(std::move(cells));
  }
  return "\nPeak of each rank\n" + table.text("  ");
}

std::string bisection_text(std::size_t runs, std::size_t columns) {
  return wrapped_text(
      fmt::format("Found by bisection in {}, which assumes that whatever fits also fits with a smaller number.",
                  format_counted(runs, "run")),
      "", columns);
}

} // namespace

std::string ranks_text(const RanksReport& report, std::size_t columns) {
  const RankRun& run = deciding_run(report);
  return wrapped_text(ranks_headline(report), "", columns) + rank_table(report) + fmt::format("\nRank {}\n", run.rank) +
         verdict_text(run.verdict, columns);
}

std::string gpus_text(const GpusReport& report, std::size_t columns) {
  const RanksReport& gpu = answering_gpu(report);
  std::string text = wrapped_text(gpus_headline(report), "", columns) + gpu_table(report);
  if (gpu.ranks > 1) text += rank_by_gpu_table(report);
  return text + '\n' + verdict_text(deciding_run(gpu).verdict, columns);
}

std::string search_text(const SearchReport& report, std::size_t columns) {
  std::string text = wrapped_text(search_headline(report), "", columns) + server_search_table(report) + '\n';
  const SearchRun& run = answering_run(report);
  text += fmt::format("{}={}\n", report.range.name, run.value);
  text += verdict_text(run.verdict, columns);
  return text + '\n' + bisection_text(report.runs.size(), columns);
}

std::string frontier_text(const FrontierReport& report, std::size_t columns) {
  TextTable table(std::vector<Align>(4, Align::right));
  table.add_row({report.range.name, report.rows.front().search.range.name, "peak", "left"});
  std::size_t runs = 0;
  for (const FrontierRow& row : report.rows) {
    runs += row.search.runs.size();
    const FitVerdict& verdict = answering_run(row.search).verdict;
    const DeviceUse* const use = fullest(verdict.facts);
    const bool has_fit = row.search.largest && use != nullptr;
    table.add_row({std::to_string(row.value),
                   row.search.largest      ? std::to_string(*row.search.largest)
                   : row.search.has_answer ? "none"
                                           : "unknown",
                   has_fit ? format_bytes(use->peak_bytes) : "", has_fit ? format_bytes(use->left_bytes()) : ""});
  }
  const FrontierRow& first = report.rows.front();
  const SearchRun& run = answering_run(first.search);
  return wrapped_text(frontier_headline(report), "", columns) + '\n' + table.text("  ") +
         fmt::format("\n{}={}, {}={}\n", report.range.name, first.value, first.search.range.name, run.value) +
         verdict_text(run.verdict, columns) + '\n' + bisection_text(runs, columns);
}

std::string variants_text(const VariantsReport& report, std::size_t columns) {
  std::string text = verdict_text(report.usual, columns);
  if (!report.variants.empty()) text += "\nWhat changes\n";
  for (const Variant& variant : report.variants)
    text += wrapped_text(variant_headline(report.usual, variant), "  - ", columns);
  return text;
}

} // namespace memviz::rehearse
