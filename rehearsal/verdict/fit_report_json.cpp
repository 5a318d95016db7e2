#include "verdict/fit_report.hpp"

#include "base/json_object_schema.hpp"
#include "export/schemas.hpp"
#include "verdict/fit_report_words.hpp"
#include "verdict/fit_verdict_json.hpp"
#include "verdict/fit_words.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::rehearse {

namespace {

/// Rises when a name or a meaning changes; additions do not count.
constexpr int kFitVersion = 2;

constexpr std::array<std::string_view, 5> kAxisWords{"gpu", "values", "doubled", "setting", "number"};

bool is_range(const Axis& axis) {
  return axis.kind == AxisKind::number || axis.kind == AxisKind::doubled;
}

constexpr auto kAxis = json_object<Axis>(
    {.meaning = "An axis", .name = "axis"},
    member("name", "Of the variable; gpu for GPUs, setting for those of --compare-with and --levers", &Axis::name),
    member("kind",
           "gpu, with most memory first; values of a variable; doubled, some numbers of a range; setting, the first of "
           "which is the program as it is; number, a range whose largest that fits is searched",
           &Axis::kind, one_of(kAxisWords)),
    member("values", "In the order of the runs; absent for a number", &Axis::values).if_any(),
    member("low", "Lowest of a range", &Axis::low).when(is_range),
    member("high", "Highest of a range", &Axis::high).when(is_range));

using Point = std::vector<std::pair<std::string_view, std::string_view>>;

/// Returns the first `count` values of a point with the names of their axes.
Point point_of(const FitReport& report, const FitRun& run, std::size_t count) {
  Point point;
  for (std::size_t i = 0; i < count; ++i)
    point.emplace_back(report.axes[i].name, run.point[i]);
  return point;
}

struct VerdictChange {
  std::int64_t peak_bytes;
  std::optional<std::int64_t> peak_reserved_bytes;
  std::int64_t left_bytes;
};

std::optional<VerdictChange> change_between(const FitRow& before, const FitRow& after) {
  const DeviceUse* const first = fullest(before.answer->verdict.facts);
  const DeviceUse* const second = fullest(after.answer->verdict.facts);
  if (first == nullptr || second == nullptr) return std::nullopt;
  const auto delta = [](std::uint64_t from, std::uint64_t to) {
    return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
  };
  VerdictChange change{delta(first->peak_bytes, second->peak_bytes), std::nullopt,
                       delta(first->left_bytes(), second->left_bytes())};
  if (first->peak_reserved_bytes && second->peak_reserved_bytes)
    change.peak_reserved_bytes = delta(*first->peak_reserved_bytes, *second->peak_reserved_bytes);
  return change;
}

constexpr auto kVerdictChange =
    json_object<VerdictChange>({}, member("peak_bytes", "Of the peak", &VerdictChange::peak_bytes),
                               member("peak_reserved_bytes", "Of what PyTorch reserved; null where it is not known",
                                      &VerdictChange::peak_reserved_bytes),
                               member("left_bytes", "Of what is left", &VerdictChange::left_bytes));

struct RowInJson {
  const FitReport& report;
  const FitRow& row;
  const FitRow& usual; ///< of the unchanged program
};

constexpr auto kRow = json_object<RowInJson>(
    {.meaning = "A row", .name = "row"},
    member(
        "point", "The value of each axis but the number",
        [](const RowInJson& in) {
          return point_of(in.report, *in.row.answer,
                          in.report.axes.size() - (searched_axis(in.report.axes) == nullptr ? 0 : 1));
        },
        kDictionary),
    member(
        "outcome", "Whether it fits, of a search the lowest number", [](const RowInJson& in) { return in.row.outcome; },
        one_of(kOutcomeWords)),
    member("largest", "Of a search: the largest number that fits; null where none does, or where it is not known",
           [](const RowInJson& in) { return in.row.largest; })
        .when([](const RowInJson& in) { return searched_axis(in.report.axes) != nullptr; }),
    member("largest_sure",
           "Of a search: the largest number that fits and is sure (is_sure of its run); null where none is",
           [](const RowInJson& in) { return in.row.sure; })
        .when([](const RowInJson& in) { return searched_axis(in.report.axes) != nullptr; }),
    member("text", "The answer as a sentence",
           [](const RowInJson& in) { return row_text(in.report, in.usual, in.row); }),
    member("run", "The run that decides: its place in runs, from 0",
           [](const RowInJson& in) { return static_cast<std::uint64_t>(in.row.answer - in.report.runs.data()); }),
    member(
        "change",
        "Of another setting: of the fullest device, with the setting minus without; null where one was not used",
        [](const RowInJson& in) { return change_between(in.usual, in.row); }, kVerdictChange)
        .when([](const RowInJson& in) { return !is_unchanged(in.report, in.row); }));

struct RunInJson {
  const FitReport& report;
  const FitRun& run;
};

constexpr auto kRun = json_object<RunInJson>(
    {.meaning = "A run", .name = "run"},
    member(
        "point", "The value of each axis",
        [](const RunInJson& in) { return point_of(in.report, in.run, in.report.axes.size()); }, kDictionary),
    member("rank", "The rank of a job", [](const RunInJson& in) { return in.run.rank; }).if_any(),
    member("ranks", "The number of ranks of the job", [](const RunInJson& in) { return in.run.ranks; })
        .when([](const RunInJson& in) { return in.run.rank.has_value(); }),
    member("decides", "What holds the peak, was asked for in vain, or ended the program",
           [](const RunInJson& in) { return deciding_memory(in.run.verdict); }),
    member(
        "verdict", "", [](const RunInJson& in) -> const auto& { return in.run.verdict; }, kFitVerdict));

struct ReportInJson {
  const FitReport& report;
  const std::vector<FitRow>& rows;
  const FitRow& answer;
};

constexpr auto kRehearse = json_described<ReportInJson>(
    {.schema = "memviz.rehearse/2.2",
     .title = "memviz rehearse --json",
     .meaning = "Whether a program fits on a GPU that was made up: each run of it, and what they show together"},
    constant("schema_version", "The version as older readers look for it", kFitVersion),
    member("text", "The answer in sentences", [](const ReportInJson& in) { return report_headline(in.report); }),
    member(
        "axes",
        "What differs between the runs, in their order, the last fastest; the numbers and values of --search, several "
        "GPUs, and settings",
        [](const ReportInJson& in) -> const auto& { return in.report.axes; }, kAxis),
    member("points_run", "The number of points that were run; the ranks of a job are one",
           [](const ReportInJson& in) { return points_run(in.report); }),
    member("points", "The number of points that the axes have; null where that is too large for a number",
           [](const ReportInJson& in) { return points_of(in.report.axes); }),
    member(
        "rows",
        "The points that differ in more than the number of a search, in the order of the runs; those that the ones "
        "before decide are absent",
        [](const ReportInJson& in) -> const auto& { return in.rows; },
        made_by(
            [](const ReportInJson& in, const FitRow& row) {
              return RowInJson{in.report, row, unchanged_row(in.report, in.rows, row)};
            },
            kRow))
        .never_empty(),
    member(
        "answer",
        "The row that the answer describes, its place in rows, from 0: of the program as it is, the first that surely "
        "fits on the smallest GPU on which one does; where none does, the first that may fit; where none fits, the "
        "first",
        [](const ReportInJson& in) { return static_cast<std::uint64_t>(&in.answer - in.rows.data()); }),
    member(
        "verdict", "Of the run that decides in that row",
        [](const ReportInJson& in) -> const auto& { return in.answer.answer->verdict; }, kFitVerdict),
    member(
        "runs", "In the order of the points, by rank within a point",
        [](const ReportInJson& in) -> const auto& { return in.report.runs; },
        made_by(
            [](const ReportInJson& in, const FitRun& run) {
              return RunInJson{in.report, run};
            },
            kRun))
        .never_empty());

} // namespace

std::string fit_json(const FitReport& report) {
  const std::vector<FitRow> rows = rows_of(report);
  return document_text(kRehearse, {report, rows, answering_row(report, rows)});
}

} // namespace memviz::rehearse

namespace memviz {

std::string rehearse_schema() {
  return schema_text(rehearse::kRehearse);
}

} // namespace memviz
