#include "run/grid.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
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

  /// Returns the largest number that fits like `wanted` or better; nullopt if none does, or if the highest or one
  /// above one that fits has no answer. The program may refuse the lowest: fewer microbatches than stages.
  [[nodiscard]] std::optional<std::uint64_t> largest(Fit wanted, std::uint64_t low, std::uint64_t high) {
    const auto lowest = at(low);
    if (lowest && *lowest < wanted) return std::nullopt;
    const auto highest = at(high);
    if (!highest) return std::nullopt;
    if (*highest >= wanted) return high;
    bool is_found = lowest.has_value();
    const auto narrow = [&](std::uint64_t number, const std::optional<Fit>& fit) {
      (fit >= wanted || (!fit && !is_found) ? low : high) = number;
      is_found = is_found || fit >= wanted;
    };
    for (const auto& [number, fit] : known_)
      if (number > low && number < high) narrow(number, fit);
    while (high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      const auto fit = at(middle);
      if (!fit && is_found) return std::nullopt;
      narrow(middle, fit);
    }
    return is_found ? std::optional(low) : std::nullopt;
  }

private:
  [[nodiscard]] std::optional<Fit> at(std::uint64_t number) {
    const auto found = known_.find(number);
    return found == known_.end() ? known_.emplace(number, run_(number)).first->second : found->second;
  }

  std::function<std::optional<Fit>(std::uint64_t)> run_;
  std::map<std::uint64_t, std::optional<Fit>> known_ = {};
};

/// Rows that differ in doubled numbers alone: what fits in one decides others.
struct Lane {
  RunPoint run;
  std::vector<FoundRow> found = {};
};

class Grid {
public:
  Grid(const std::vector<Axis>& axes, const StartLane& start)
      : axes_(axes), number_(searched_axis(axes)), start_(start), row_axes_(axes.size() - (number_ == nullptr ? 0 : 1)),
        lane_(row_axes_) {}

  /// One row after the other.
  void run() {
    std::map<Places, Lane> lanes;
    Places places(row_axes_);
    do
      run_row(lanes.try_emplace(lane_of(places), Lane{start_()}).first->second, places);
    while (advance(places, [](AxisKind) { return true; }));
  }

  /// Takes the next lane and runs its rows, until there is none left: in several threads at once.
  void run_lanes() {
    while (auto places = next_lane()) {
      Lane lane{start_()};
      do
        run_row(lane, *places);
      while (advance(*places, [](AxisKind kind) { return kind == AxisKind::doubled; }));
    }
  }

  void stop() {
    const std::scoped_lock lock(mutex_);
    is_done_ = true;
  }

private:
  using Places = std::vector<std::size_t>;

  /// Moves to the next row along these axes, the last fastest. Returns false after the last.
  template <class Moves> [[nodiscard]] bool advance(Places& places, Moves moves) const {
    for (std::size_t axis = row_axes_; axis-- > 0;) {
      if (!moves(axes_[axis].kind)) continue;
      if (++places[axis] < axes_[axis].values.size()) return true;
      places[axis] = 0;
    }
    return false;
  }

  /// Returns the first row of a row's lane.
  [[nodiscard]] Places lane_of(Places places) const {
    for (std::size_t axis = 0; axis < row_axes_; ++axis)
      if (axes_[axis].kind == AxisKind::doubled) places[axis] = 0;
    return places;
  }

  [[nodiscard]] std::optional<Places> next_lane() {
    const std::scoped_lock lock(mutex_);
    if (is_done_) return std::nullopt;
    Places lane = lane_;
    is_done_ = !advance(lane_, [](AxisKind kind) { return kind != AxisKind::doubled; });
    return lane;
  }

  void run_row(Lane& lane, const Places& places) const {
    std::vector<std::string> point;
    for (std::size_t axis = 0; axis < row_axes_; ++axis)
      point.push_back(axes_[axis].values[places[axis]]);
    if (number_ == nullptr) {
      static_cast<void>(lane.run(point));
      return;
    }
    const auto high = highest(lane, places);
    if (!high) return;
    point.emplace_back();
    NumberSearch search([&](std::uint64_t number) {
      point.back() = std::to_string(number);
      return lane.run(point);
    });
    const auto largest = search.largest(Fit::possibly, number_->low, *high);
    if (largest) static_cast<void>(search.largest(Fit::surely, number_->low, *largest));
    lane.found.push_back({places, largest});
  }

  /// Returns the highest number that may fit in a row; nullopt if none does.
  [[nodiscard]] std::optional<std::uint64_t> highest(const Lane& lane, const Places& places) const {
    std::uint64_t high = number_->high;
    for (const FoundRow& row : lane.found) {
      if (!needs_less(row.places, places)) continue;
      if (!row.largest) return std::nullopt;
      high = std::min(high, *row.largest);
    }
    return high;
  }

  /// Whether a row of the same lane has no larger doubled numbers.
  [[nodiscard]] bool needs_less(const Places& row, const Places& than) const {
    for (std::size_t axis = 0; axis < row_axes_; ++axis)
      if (axes_[axis].kind == AxisKind::doubled && row[axis] > than[axis]) return false;
    return true;
  }

  const std::vector<Axis>& axes_;
  const Axis* number_;
  const StartLane& start_;
  std::size_t row_axes_;
  std::mutex mutex_ = {};
  Places lane_; ///< the next one
  bool is_done_ = false;
};

/// Runs the lanes in `jobs` threads; throws what the first of them threw.
void run_at_once(Grid& grid, std::size_t jobs) {
  std::mutex mutex;
  std::exception_ptr thrown;
  const auto run = [&] {
    try {
      grid.run_lanes();
    } catch (...) {
      grid.stop();
      const std::scoped_lock lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t job = 0; job < jobs; ++job)
      threads.emplace_back(run);
  }
  if (thrown) std::rethrow_exception(thrown);
}

} // namespace

void run_grid(const std::vector<Axis>& axes, const StartLane& start, std::size_t jobs) {
  Grid grid(axes, start);
  if (jobs > 1)
    run_at_once(grid, jobs);
  else
    grid.run();
}

} // namespace memviz::rehearse
