#include "run/grid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace memviz::rehearse {

namespace {

/// The place of a row on each axis but the number, and the largest number that fits there.
struct FoundRow {
  std::vector<std::size_t> places;
  std::optional<std::uint64_t> largest;
};

/// Returns the largest number for which `fits` holds; nullopt if it never does, or has no answer for a number.
std::optional<std::uint64_t> largest_that_fits(std::uint64_t low, std::uint64_t high,
                                               const std::function<std::optional<bool>(std::uint64_t)>& fits) {
  if (!fits(low).value_or(false)) return std::nullopt;
  if (low == high) return high;
  const auto all = fits(high);
  if (!all || *all) return all ? std::optional(high) : std::nullopt;
  while (high - low > 1) { // `low` fits, `high` does not
    const std::uint64_t middle = low + (high - low) / 2;
    const auto some = fits(middle);
    if (!some) return std::nullopt;
    (*some ? low : high) = middle;
  }
  return low;
}

class Grid {
public:
  Grid(const std::vector<Axis>& axes, const RunPoint& run)
      : axes_(axes), number_(searched_axis(axes)), run_(run), row_axes_(axes.size() - (number_ == nullptr ? 0 : 1)) {}

  void run() {
    std::vector<std::size_t> places(row_axes_);
    do
      run_row(places);
    while (advance(places));
  }

private:
  /// Moves to the next row, the last axis fastest. Returns false after the last.
  [[nodiscard]] bool advance(std::vector<std::size_t>& places) const {
    for (std::size_t axis = row_axes_; axis-- > 0;) {
      if (++places[axis] < axes_[axis].values.size()) return true;
      places[axis] = 0;
    }
    return false;
  }

  void run_row(const std::vector<std::size_t>& places) {
    std::vector<std::string> point;
    for (std::size_t axis = 0; axis < row_axes_; ++axis)
      point.push_back(axes_[axis].values[places[axis]]);
    if (number_ == nullptr) {
      static_cast<void>(run_(point));
      return;
    }
    const auto high = highest(places);
    if (!high) return;
    point.emplace_back();
    const auto fits = [&](std::uint64_t number) {
      point.back() = std::to_string(number);
      return run_(point);
    };
    found_.push_back({places, largest_that_fits(number_->low, *high, fits)});
  }

  /// Returns the highest number that may fit in a row; nullopt if none does.
  [[nodiscard]] std::optional<std::uint64_t> highest(const std::vector<std::size_t>& places) const {
    std::uint64_t high = number_->high;
    for (const FoundRow& row : found_) {
      if (!needs_less(row.places, places)) continue;
      if (!row.largest) return std::nullopt;
      high = std::min(high, *row.largest);
    }
    return high;
  }

  /// Whether a row has no larger doubled numbers, and else the same values.
  [[nodiscard]] bool needs_less(const std::vector<std::size_t>& row, const std::vector<std::size_t>& than) const {
    for (std::size_t axis = 0; axis < row_axes_; ++axis)
      if (axes_[axis].kind == AxisKind::doubled ? row[axis] > than[axis] : row[axis] != than[axis]) return false;
    return true;
  }

  const std::vector<Axis>& axes_;
  const Axis* number_;
  const RunPoint& run_;
  std::size_t row_axes_;
  std::vector<FoundRow> found_ = {};
};

} // namespace

void run_grid(const std::vector<Axis>& axes, const RunPoint& run) {
  Grid(axes, run).run();
}

} // namespace memviz::rehearse
