#pragma once

// Runs of a program over axes (numbers and values of variables, GPUs, settings, ranks of a job) -> rows of one table:
// the ranks of a point fold into the one that decides, and the numbers of a search into the largest that fits.

#include "verdict/fit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memviz::rehearse {

enum class AxisKind : std::uint8_t {
  gpu,     ///< names of profiles, most memory first
  values,  ///< of a variable, in the order in which they were given
  doubled, ///< a range of whole numbers, of which the lowest, its doubles and the highest are tried
  setting, ///< the unchanged program, and with each change
  number,  ///< a range of whole numbers, of which the largest that fits is searched
};

/// The value of the axis of settings that stands for the unchanged program.
inline constexpr std::string_view kUnchanged = "as it is";

struct Axis {
  AxisKind kind = AxisKind::values;
  std::string name;                     ///< of the environment variable; "gpu", "setting"
  std::vector<std::string> values = {}; ///< in the order of the runs; of a number, which has none, any that is searched
  std::uint64_t low = 0;                ///< of a range
  std::uint64_t high = 0;
};

struct FitRun {
  std::vector<std::string> point;         ///< a value for each axis
  std::optional<std::uint64_t> rank = {}; ///< of a job
  std::uint64_t ranks = 1;                ///< the number of ranks of the job
  FitVerdict verdict;
};

struct FitReport {
  std::vector<Axis> axes = {}; ///< in the order of the runs, the last fastest; a number, of which there is one, is last
  std::vector<FitRun> runs = {}; ///< at least one, in the order of the points; by rank within a point
};

/// The runs whose points differ in the number alone. Points into its report.
struct FitRow {
  std::vector<const FitRun*> runs;   ///< all
  std::vector<const FitRun*> points; ///< for each number in the order of the runs, the rank that decides
  const FitRun* answer = nullptr;    ///< of these, the largest number that fits, else the last
  FitOutcome outcome = FitOutcome::fits;
  std::optional<std::uint64_t> largest = {}; ///< the largest number that fits; nullopt if none does, or no number is
                                             ///< searched
  std::optional<std::uint64_t> sure = {};    ///< the largest that surely does; nullopt if none does
};

/// Returns the axis whose largest number is searched; null if there is none.
[[nodiscard]] const Axis* searched_axis(const std::vector<Axis>& axes);
/// Returns the value of the first axis of this kind in a point; "" if there is none.
[[nodiscard]] std::string_view value_of(const FitReport& report, const FitRun& run, AxisKind kind);

/// Returns the rows in the order of their first runs; at least one. The outcome of a row is that of its answer, except
/// that one number without an answer leaves a search without one.
[[nodiscard]] std::vector<FitRow> rows_of(const FitReport& report);
/// Whether the row is one of the unchanged program.
[[nodiscard]] bool is_unchanged(const FitReport& report, const FitRow& row);
/// Whether the row, or a number of its search, surely fits.
[[nodiscard]] bool surely_fits(const FitReport& report, const FitRow& row);
/// Returns the row of the unchanged program at the same values of the other axes.
[[nodiscard]] const FitRow& unchanged_row(const FitReport& report, const std::vector<FitRow>& rows, const FitRow& row);
/// Returns the row that the answer describes: of the unchanged program, the first that surely fits on the smallest GPU
/// on which any does; if none does, the first that may fit, likewise; if none fits, the first.
[[nodiscard]] const FitRow& answering_row(const FitReport& report, const std::vector<FitRow>& rows);

/// Returns 0 if any row of the unchanged program fits, else 3 if one does not, else the exit code of the run that the
/// answer describes; 1 if that is 0.
[[nodiscard]] int exit_code(const FitReport& report);

/// Whether the lowest and the highest number have the same peak, as if the program did not read the variable.
[[nodiscard]] bool makes_no_difference(const FitReport& report, const FitRow& row);

/// Returns the number of points that were run.
[[nodiscard]] std::uint64_t points_run(const FitReport& report);
/// Returns the number of points that the axes have; nullopt if that is too large for a number.
[[nodiscard]] std::optional<std::uint64_t> points_of(const std::vector<Axis>& axes);

} // namespace memviz::rehearse
