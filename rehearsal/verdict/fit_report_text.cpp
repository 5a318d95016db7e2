#include "verdict/fit_report.hpp"

#include "base/capitalized.hpp"
#include "base/printable.hpp"
#include "base/whole_number.hpp"
#include "base/wrap.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "verdict/fit_report_words.hpp"
#include "verdict/fit_server_words.hpp"
#include "verdict/fit_verdict_text.hpp"
#include "verdict/fit_words.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

namespace memviz::rehearse {

namespace {

constexpr std::size_t kMostRankColumns = 8;
constexpr std::size_t kMostChanges = 16;

/// A line of the table.
struct Line {
  const FitRun* run;
  FitOutcome outcome;
  std::string number; ///< the cell of the searched number
};

/// Whether there are axes but the number.
bool has_rows(const FitReport& report) {
  return report.axes.size() > (searched_axis(report.axes) == nullptr ? 0 : 1);
}

/// Whether a report has the axis of settings alone, whose sentences say all that a table would.
bool has_settings_alone(const FitReport& report) {
  return report.axes.size() == 1 && report.axes.front().kind == AxisKind::setting;
}

/// Returns a line for each row; else for each number; else for each rank, the deciding one first.
std::vector<Line> lines_of(const FitReport& report, const std::vector<FitRow>& rows) {
  std::vector<Line> lines;
  const FitRow& first = rows.front();
  if (has_rows(report)) {
    for (const FitRow& row : rows)
      lines.push_back({row.answer, row.outcome, largest_word(row)});
    return lines;
  }
  const bool is_search = searched_axis(report.axes) != nullptr;
  for (const FitRun* const run : is_search ? first.points : first.runs)
    lines.push_back({run, run->verdict.outcome, is_search ? run->point.back() : ""});
  std::ranges::stable_sort(lines, [&](const Line& one, const Line& other) {
    if (!is_search) return one.run == first.answer && other.run != first.answer;
    return whole_number<std::uint64_t>(one.number) < whole_number<std::uint64_t>(other.number);
  });
  return lines;
}

/// The table of a report: its columns for axes, and what they hold of each line.
class ReportTable {
public:
  ReportTable(const FitReport& report, std::vector<Line> lines)
      : report_(report), lines_(std::move(lines)), is_search_(searched_axis(report.axes) != nullptr),
        is_job_(any([](const FitRun& run) { return run.rank.has_value(); })),
        is_server_(any([](const FitRun& run) { return run.verdict.facts.server.has_value(); })),
        has_answer_(!is_search_ || !has_rows(report)) {}

  [[nodiscard]] std::string text() const {
    std::vector<Align> columns;
    std::vector<std::string> head;
    for (const auto& [name, align] : columns_of()) {
      columns.push_back(align);
      head.push_back(name);
    }
    TextTable table(std::move(columns));
    table.add_row(std::move(head));
    for (const Line& line : lines_)
      table.add_row(cells_of(line));
    return table.text("  ");
  }

private:
  template <class Holds> [[nodiscard]] bool any(Holds holds) const {
    return std::ranges::any_of(lines_, [&](const Line& line) { return holds(*line.run); });
  }

  [[nodiscard]] std::vector<std::pair<std::string, Align>> columns_of() const {
    std::vector<std::pair<std::string, Align>> columns;
    for (const Axis& axis : report_.axes) {
      const bool are_numbers = std::ranges::all_of(
          axis.values, [](const std::string& value) { return whole_number<std::uint64_t>(value).has_value(); });
      columns.emplace_back(axis.kind == AxisKind::gpu ? "GPU" : axis.name, are_numbers ? Align::right : Align::left);
      if (axis.kind == AxisKind::gpu) columns.emplace_back("memory", Align::right);
    }
    if (is_job_) columns.emplace_back("rank", Align::right);
    if (has_answer_) columns.emplace_back("answer", Align::left);
    for (const char* const name : {"peak", "of which PyTorch", "left"})
      columns.emplace_back(name, Align::right);
    if (is_server_)
      for (const char* const name : {"tokens of KV cache", "requests at once"})
        columns.emplace_back(name, Align::right);
    columns.emplace_back("what decides", Align::left);
    return columns;
  }

  [[nodiscard]] std::vector<std::string> cells_of(const Line& line) const {
    const FitVerdict& verdict = line.run->verdict;
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < report_.axes.size(); ++i) {
      const AxisKind kind = report_.axes[i].kind;
      cells.push_back(kind == AxisKind::number ? line.number : printable(line.run->point[i]));
      if (kind == AxisKind::gpu) cells.push_back(format_bytes(verdict.profile.total_bytes));
    }
    if (is_job_) cells.push_back(line.run->rank ? std::to_string(*line.run->rank) : "");
    if (has_answer_) cells.emplace_back(answer_word(verdict));
    const DeviceUse* const use = fullest(verdict.facts);
    const bool fits = line.outcome == FitOutcome::fits && use != nullptr;
    const auto add = [&](std::string cell) { cells.push_back(fits ? std::move(cell) : ""); };
    add(fits ? format_bytes(use->peak_bytes) : "");
    add(fits ? pytorch_text(*use) : "");
    add(fits ? format_bytes(use->left_bytes()) : "");
    if (is_server_) {
      const auto& server = verdict.facts.server;
      add(server && server->cache_tokens ? format_count(*server->cache_tokens) : server ? "unknown" : "");
      add(server ? requests_text(*server) : "");
    }
    cells.push_back(deciding_memory(verdict));
    return cells;
  }

  const FitReport& report_;
  std::vector<Line> lines_;
  bool is_search_;
  bool is_job_;
  bool is_server_;
  bool has_answer_; ///< a column of it; the column of the number says it of rows
};

/// Returns the name of a point, without its setting and, if `has_number` is false, without the number.
std::string name_of(const FitReport& report, const FitRun& run, bool has_number) {
  std::vector<Axis> axes;
  std::vector<std::string> point;
  for (std::size_t i = 0; i < report.axes.size(); ++i) {
    const AxisKind kind = report.axes[i].kind;
    if (kind == AxisKind::setting || (kind == AxisKind::number && !has_number)) continue;
    axes.push_back(report.axes[i]);
    point.push_back(run.point[i]);
  }
  return point_name(axes, point);
}

/// Returns the peak of each rank of each row; "" if no row or too many have ranks.
std::string rank_table(const FitReport& report, const std::vector<FitRow>& rows) {
  std::vector<std::string> head{"rank"};
  std::map<std::uint64_t, std::vector<std::string>> lines;
  for (const FitRow& row : rows) {
    if (!row.answer->rank || !is_unchanged(report, row)) continue;
    head.push_back(name_of(report, *row.answer, false));
    for (const FitRun* const run : row.runs) {
      if (run->point != row.answer->point) continue;
      std::vector<std::string>& cells = lines[*run->rank];
      cells.resize(head.size() - 2);
      cells.push_back(run->verdict.outcome == FitOutcome::fits ? format_bytes(peak_of(run->verdict))
                                                               : std::string(answer_word(run->verdict)));
    }
  }
  if (head.size() < 3 || head.size() > kMostRankColumns + 1) return "";
  TextTable table(std::vector<Align>(head.size(), Align::right));
  table.add_row(std::move(head));
  for (auto& [rank, cells] : lines) {
    cells.insert(cells.begin(), std::to_string(rank));
    table.add_row(std::move(cells));
  }
  return "\nPeak of each rank\n" + table.text("  ");
}

/// Returns the line before the run that decides: its point and its rank, except where its headline names the GPU.
std::string run_title(const FitReport& report, const FitRun& run) {
  const std::string name = name_of(report, run, true);
  if (!name.empty() && name == value_of(report, run, AxisKind::gpu)) return "";
  const std::string rank = run.rank ? fmt::format("rank {}", *run.rank) : "";
  return (name.empty() ? capitalized(rank) : name + (rank.empty() ? "" : ", " + rank)) + '\n';
}

std::string changes_text(const FitReport& report, const std::vector<FitRow>& rows, std::size_t columns) {
  std::string text;
  std::size_t count = 0;
  for (const FitRow& row : rows) {
    if (is_unchanged(report, row)) continue;
    text += wrapped_text(row_text(report, unchanged_row(report, rows, row), row), "  - ", columns);
    ++count;
  }
  return count == 0 || count > kMostChanges ? "" : "\nWhat changes\n" + text;
}

/// Returns how many points were run, where these are not all.
std::string points_text(const FitReport& report, std::size_t columns) {
  const std::uint64_t run = points_run(report);
  const auto all = points_of(report.axes);
  const std::string runs =
      all ? fmt::format("{} of {}", format_count(run), format_counted(*all, "run")) : format_counted(run, "run");
  if (searched_axis(report.axes) != nullptr)
    return '\n' + wrapped_text("Found by bisection in " + runs +
                                   ", which assumes that whatever fits also fits with a smaller number.",
                               "", columns);
  return run == all ? "" : fmt::format("\nInterrupted after {}.\n", runs);
}

} // namespace

std::string fit_text(const FitReport& report, std::size_t columns) {
  const std::vector<FitRow> rows = rows_of(report);
  const FitRun& run = *answering_row(report, rows).answer;
  std::string text = wrapped_text(report_headline(report), "", columns);
  if (run.rank || (!report.axes.empty() && !has_settings_alone(report))) {
    text += '\n' + ReportTable(report, lines_of(report, rows)).text() + rank_table(report, rows);
    text += '\n' + run_title(report, run) + wrapped_text(headline(run.verdict), "", columns);
  }
  text += verdict_text(run.verdict, columns);
  return text + changes_text(report, rows, columns) + points_text(report, columns);
}

} // namespace memviz::rehearse
