#include "verdict/fit_runs.hpp"

#include "base/whole_number.hpp"
#include "verdict/fit_doubt_words.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace memviz::rehearse {

namespace {

constexpr int kNoAnswer = 1;
constexpr int kNoneFits = 3;

using Runs = std::vector<const FitRun*>;

std::optional<std::size_t> place_of(const std::vector<Axis>& axes, AxisKind kind) {
  const auto found = std::ranges::find_if(axes, [&](const Axis& axis) { return axis.kind == kind; });
  return found == axes.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - axes.begin()));
}

/// Whether both points have the same values, except on axes for which `may_differ` holds.
template <class MayDiffer>
bool are_alike(const FitReport& report, const FitRun& one, const FitRun& other, MayDiffer may_differ) {
  for (std::size_t i = 0; i < report.axes.size(); ++i)
    if (!may_differ(report.axes[i].kind) && one.point[i] != other.point[i]) return false;
  return true;
}

bool is_number(AxisKind kind) {
  return kind == AxisKind::number;
}

bool is_number_or_setting(AxisKind kind) {
  return is_number(kind) || kind == AxisKind::setting;
}

/// Returns the run that decides whether a job fits: the first that does not fit, else the first without an answer, else
/// the one that left least, of those that are not sure if there are any.
const FitRun* deciding_run(const Runs& runs) {
  const auto first = [&](auto holds) {
    return std::ranges::find_if(runs, [&](const FitRun* run) { return holds(run->verdict.outcome); });
  };
  // Ranks that wait for one that ran out of memory fail as a consequence.
  const auto does_not_fit = first([](FitOutcome outcome) { return outcome == FitOutcome::does_not_fit; });
  if (does_not_fit != runs.end()) return *does_not_fit;
  const auto failed = first([](FitOutcome outcome) { return outcome != FitOutcome::fits; });
  if (failed != runs.end()) return *failed;
  const auto left = [](const FitVerdict& verdict) {
    const DeviceUse* const use = fullest(verdict.facts);
    return std::pair(is_sure(verdict), use == nullptr ? std::numeric_limits<std::uint64_t>::max() : use->left_bytes());
  };
  return *std::ranges::min_element(
      runs, [&](const FitRun* one, const FitRun* other) { return left(one->verdict) < left(other->verdict); });
}

/// Returns the deciding run of each point, in the order of the points.
Runs deciding_runs(const Runs& runs) {
  Runs list;
  for (auto from = runs.begin(); from != runs.end();) {
    const auto to = std::find_if(from, runs.end(), [&](const FitRun* run) { return run->point != (*from)->point; });
    list.push_back(deciding_run({from, to}));
    from = to;
  }
  return list;
}

/// Fills in the largest number that fits. A smaller one without an answer decides only how far it is sure, and one
/// right below the smallest that does not fit nothing: the program refuses it.
void find_largest(FitRow& row) {
  std::optional<std::uint64_t> largest_unknown;
  std::optional<std::uint64_t> smallest_too_large;
  for (const FitRun* const run : row.points) {
    const auto number = whole_number<std::uint64_t>(run->point.back());
    if (!is_answer(run->verdict)) largest_unknown = std::max(largest_unknown, number);
    if (run->verdict.outcome == FitOutcome::does_not_fit && (!smallest_too_large || number < smallest_too_large)) {
      smallest_too_large = number;
      if (!row.largest) row.answer = run;
    }
    if (run->verdict.outcome != FitOutcome::fits) continue;
    if (is_sure(run->verdict)) row.sure = std::max(row.sure, number);
    if (row.largest && number <= row.largest) continue;
    row.largest = number;
    row.answer = run;
  }
  const bool is_refused = !row.largest && smallest_too_large && *smallest_too_large == largest_unknown.value_or(0) + 1;
  if (!largest_unknown || largest_unknown < row.largest || is_refused) {
    row.outcome = row.largest ? FitOutcome::fits : FitOutcome::does_not_fit;
    return;
  }
  row.largest = row.sure = std::nullopt;
  row.answer = row.points.back();
  row.outcome = row.answer->verdict.outcome == FitOutcome::no_gpu ? FitOutcome::no_gpu : FitOutcome::failed;
}

/// The tokens of a server's KV cache and of its longest request, which differ although its peak does not.
std::pair<std::uint64_t, std::uint64_t> tokens_of(const FitVerdict& verdict) {
  const auto& server = verdict.facts.server;
  if (!server) return {};
  return {server->cache_tokens.value_or(0), server->request_tokens.value_or(0)};
}

} // namespace

const Axis* searched_axis(const std::vector<Axis>& axes) {
  return axes.empty() || axes.back().kind != AxisKind::number ? nullptr : &axes.back();
}

std::string_view value_of(const FitReport& report, const FitRun& run, AxisKind kind) {
  const auto place = place_of(report.axes, kind);
  return place ? std::string_view(run.point[*place]) : "";
}

std::vector<FitRow> rows_of(const FitReport& report) {
  std::vector<FitRow> rows;
  for (const FitRun& run : report.runs) {
    if (rows.empty() || !are_alike(report, *rows.back().runs.front(), run, is_number)) rows.emplace_back();
    rows.back().runs.push_back(&run);
  }
  for (FitRow& row : rows) {
    row.points = deciding_runs(row.runs);
    row.answer = row.points.back();
    row.outcome = row.answer->verdict.outcome;
    if (searched_axis(report.axes) != nullptr) find_largest(row);
  }
  return rows;
}

bool is_unchanged(const FitReport& report, const FitRow& row) {
  return !place_of(report.axes, AxisKind::setting) || value_of(report, *row.answer, AxisKind::setting) == kUnchanged;
}

bool surely_fits(const FitReport& report, const FitRow& row) {
  if (row.outcome != FitOutcome::fits) return false;
  return searched_axis(report.axes) == nullptr ? is_sure(row.answer->verdict) : row.sure.has_value();
}

const FitRow& unchanged_row(const FitReport& report, const std::vector<FitRow>& rows, const FitRow& row) {
  const auto found = std::ranges::find_if(rows, [&](const FitRow& other) {
    return is_unchanged(report, other) && are_alike(report, *other.answer, *row.answer, is_number_or_setting);
  });
  return found == rows.end() ? row : *found;
}

const FitRow& answering_row(const FitReport& report, const std::vector<FitRow>& rows) {
  const auto gpu = [&](const FitRow& of) { return value_of(report, *of.answer, AxisKind::gpu); };
  for (const bool only_sure : {true, false}) {
    const FitRow* answer = nullptr;
    for (const FitRow& row : rows) {
      if (!is_unchanged(report, row) || row.outcome != FitOutcome::fits) continue;
      if (only_sure && !surely_fits(report, row)) continue;
      if (answer == nullptr || gpu(row) != gpu(*answer)) answer = &row;
    }
    if (answer != nullptr) return *answer;
  }
  return rows.front();
}

int exit_code(const FitReport& report) {
  const std::vector<FitRow> rows = rows_of(report);
  const auto any = [&](FitOutcome outcome) {
    return std::ranges::any_of(rows,
                               [&](const FitRow& row) { return is_unchanged(report, row) && row.outcome == outcome; });
  };
  if (any(FitOutcome::fits)) return 0;
  if (any(FitOutcome::does_not_fit)) return kNoneFits;
  const int code = exit_code(answering_row(report, rows).answer->verdict);
  return code == 0 ? kNoAnswer : code;
}

bool makes_no_difference(const FitReport& report, const FitRow& row) {
  return row.points.size() == 2 && row.largest == searched_axis(report.axes)->high &&
         peak_of(row.points[0]->verdict) == peak_of(row.points[1]->verdict) &&
         tokens_of(row.points[0]->verdict) == tokens_of(row.points[1]->verdict);
}

std::uint64_t points_run(const FitReport& report) {
  std::uint64_t count = 0;
  for (const FitRow& row : rows_of(report))
    count += row.points.size();
  return count;
}

std::optional<std::uint64_t> points_of(const std::vector<Axis>& axes) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count = 1;
  for (const Axis& axis : axes) {
    const std::uint64_t more = axis.kind == AxisKind::number ? axis.high - axis.low : axis.values.size() - 1;
    if (more == kMost || count > kMost / (more + 1)) return std::nullopt;
    count *= more + 1;
  }
  return count;
}

} // namespace memviz::rehearse
