#include "run/grid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace memviz::rehearse {

namespace {

/// The place of a row on each axis but the number, and the largest number that fits there.
struct FoundRow {
  std::vector<std::size_t> places;
  std::optional<std::uint64_t> largest;
};

/// The numbers of a row, of which none is run twice.
class NumberSearch {
public:
  explicit NumberSearch(std::function<std::optional<Fit>(std::uint64_t)> run) : run_(std::move(run)) {}

  /// Returns the largest number that fits like `wanted` or better; nullopt if none does, or if one has no answer.
  [[nodiscard]] std::optional<std::uint64_t> largest(Fit wanted, std::uint64_t low, std::uint64_t high) {
    for (const std::uint64_t end : {low, high}) {
      const auto fit = at(end);
      if (!fit || (end == low && *fit < wanted)) return std::nullopt;
      if (end == high && *fit >= wanted) return high;
    }
    for (const auto& [number, fit] : known_) { // at least `wanted` at `low`, less at `high`
      if (number > low && number < high) (fit && *fit >= wanted ? low : high) = number;
    }
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      const auto fit = at(middle);
      if (!fit) return std::nullopt;
      (*fit >= wanted ? low : high) = middle;
    }
    return low;
  }

private:
  [[nodiscard]] std::optional<Fit> at(std::uint64_t number) {
    const auto found = known_.find(number);
    return found == known_.end() ? known_.emplace(number, run_(number)).first->second : found->second;
  }

  std::function<std::optional<Fit>(std::uint64_t)> run_;
  std::map<std::uint64_t, std::optional<Fit>> known_ = {};
};

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
    NumberSearch search([&](std::uint64_t number) {
      point.back() = std::to_string(number);
      return run_(point);
    });
    const auto largest = search.largest(Fit::possibly, number_->low, *high);
    if (largest) static_cast<void>(search.largest(Fit::surely, number_->low, *largest));
    found_.push_back({places, largest});
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
