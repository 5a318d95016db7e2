#include "timeline/timeline_layout.hpp"

#include "page/xml_writer.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <variant>

namespace memviz::render {
namespace {

std::int32_t half_pixels(double y) {
  return static_cast<std::int32_t>(std::lround(y * 2));
}

/// Adds a step unless nothing changes.
void extend(TimelineShape& shape, std::uint32_t first, std::uint32_t end, std::int32_t top, std::int32_t bottom) {
  shape.end = end;
  if (!shape.steps.empty() && shape.steps.back().top == top && shape.steps.back().bottom == bottom) return;
  shape.steps.push_back({first, top, bottom});
}

/// "h3.75" and the like; "" for a length of 0.
void move(std::string& path, char letter, double length) {
  if (length == 0) return;
  path += letter;
  path += px(length);
}

double columns_wide(std::uint32_t first, std::uint32_t end) {
  return (static_cast<double>(end) - static_cast<double>(first)) * kColumnWidth;
}

std::uint32_t column_count(const StateScale& states) {
  return std::max(1U, static_cast<std::uint32_t>(std::lround(states.width() / kColumnWidth)));
}

/// Calls `seen(column, index)` for every column that the parts [x(i), x(i + 1)) of the width touch, in order.
template <class Position, class Seen>
void walk_columns(std::size_t count, std::uint32_t columns, const Position& x, const Seen& seen) {
  const auto column_of = [&](double at) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(at / kColumnWidth)), 0,
                                    std::int64_t{columns} - 1);
  };
  for (std::size_t i = 0; i < count; ++i) {
    const double begin = x(i);
    const double end = x(i + 1);
    const std::int64_t first = column_of(begin);
    const std::int64_t last = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(end / kColumnWidth)) - 1,
                                                       first, std::int64_t{columns} - 1);
    for (std::int64_t column = first; column <= last; ++column)
      seen(static_cast<std::uint32_t>(column), static_cast<std::uint32_t>(i));
  }
}

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

struct Columns {
  std::vector<std::uint32_t> highest; ///< slice, by column
  std::vector<std::uint32_t> lowest;
};

Columns slice_columns(const BandChart& chart, const StateScale& states) {
  const std::uint32_t count = column_count(states);
  Columns columns{std::vector<std::uint32_t>(count, kNone), std::vector<std::uint32_t>(count, kNone)};
  const std::vector<Slice>& slices = chart.slices;
  const auto x = [&](std::size_t i) { return i < slices.size() ? states.x(slices[i].state) : states.width(); };
  walk_columns(slices.size(), count, x, [&](std::uint32_t column, std::uint32_t slice) {
    std::uint32_t& highest = columns.highest[column];
    std::uint32_t& lowest = columns.lowest[column];
    if (highest == kNone || slices[slice].live_bytes > slices[highest].live_bytes) highest = slice;
    if (lowest == kNone || slices[slice].live_bytes < slices[lowest].live_bytes) lowest = slice;
  });
  return columns;
}

std::vector<ColumnRun> runs_of(const std::vector<std::uint32_t>& columns) {
  std::vector<ColumnRun> runs;
  for (std::uint32_t column = 0; column < columns.size(); ++column) {
    if (columns[column] == kNone) continue;
    if (runs.empty() || runs.back().slice != columns[column]) runs.push_back({column, column, columns[column]});
    runs.back().last = column + 1;
  }
  return runs;
}

/// Walks the runs with what is live in each, from the bottom up.
class StackLayout {
public:
  explicit StackLayout(const StackPlan& plan) : plan_(plan), by_first_(plan.chart.bands.size()) {
    shapes_.strips.resize(plan.strips.size());
    shapes_.bands.resize(plan.chart.bands.size());
    shapes_.layers.resize(layers_of(plan.chart));
    std::iota(by_first_.begin(), by_first_.end(), 0U);
    std::ranges::stable_sort(by_first_, [&](std::uint32_t one, std::uint32_t other) {
      return plan.chart.bands[one].first < plan.chart.bands[other].first;
    });
  }

  [[nodiscard]] std::optional<StackShapes> run(std::vector<ColumnRun> runs, std::size_t most_steps) {
    const std::int32_t ground = half_pixels(plan_.bytes.height());
    for (const ColumnRun& run : runs) {
      const Slice& slice = plan_.chart.slices[run.slice];
      enter(run.slice);
      pile_ = {.bottom = ground};
      next_in_stack_ = 0;
      for (std::size_t layer = 0; layer < shapes_.layers.size(); ++layer) {
        const std::int32_t bottom = pile_.bottom;
        add_layer(run, layer);
        extend(shapes_.layers[layer], run.first, run.last, pile_.bottom, bottom);
      }
      if (steps_ > most_steps) return std::nullopt;
      extend(shapes_.live, run.first, run.last, half_pixels(plan_.bytes.y(slice.live_bytes)), ground);
    }
    shapes_.runs = std::move(runs);
    return std::move(shapes_);
  }

private:
  /// The contents of a column so far.
  struct Pile {
    std::uint64_t bytes = 0;
    std::int32_t bottom = 0;
  };

  void enter(std::uint32_t slice) {
    const std::vector<Band>& bands = plan_.chart.bands;
    std::erase_if(alive_, [&](std::uint32_t band) { return bands[band].last <= slice; });
    for (; next_ < by_first_.size() && bands[by_first_[next_]].first <= slice; ++next_) {
      const std::uint32_t band = by_first_[next_];
      if (bands[band].last > slice) alive_.insert(std::upper_bound(alive_.begin(), alive_.end(), band), band);
    }
  }

  void add_layer(const ColumnRun& run, std::size_t layer) {
    const std::vector<Band>& bands = plan_.chart.bands;
    add_strips(run, layer, true);
    for (; next_in_stack_ < alive_.size(); ++next_in_stack_) {
      const std::uint32_t band = alive_[next_in_stack_];
      if (layer_of(plan_.chart, bands[band]) != layer) break;
      add(run, shapes_.bands[band], bands[band].life.size_bytes);
    }
    add_strips(run, layer, false);
  }

  void add_strips(const ColumnRun& run, std::size_t layer, bool is_baseline) {
    for (std::uint32_t i = 0; i < plan_.strips.size(); ++i) {
      const Strip& strip = plan_.strips[i];
      if (strip.is_baseline == is_baseline && layer_of(plan_.chart, strip) == layer)
        add(run, shapes_.strips[i], strip.bytes[run.slice]);
    }
  }

  void add(const ColumnRun& run, TimelineShape& shape, std::uint64_t bytes) {
    pile_.bytes += bytes;
    const std::int32_t top = half_pixels(plan_.bytes.y(pile_.bytes));
    const std::size_t steps_before = shape.steps.size();
    extend(shape, run.first, run.last, top, pile_.bottom);
    steps_ += shape.steps.size() - steps_before;
    pile_.bottom = top;
  }

  const StackPlan& plan_;
  StackShapes shapes_;
  std::vector<std::uint32_t> by_first_; ///< bands
  std::size_t next_ = 0;                ///< of these
  std::vector<std::uint32_t> alive_;    ///< bands, in stacking order
  std::size_t next_in_stack_ = 0;       ///< of these
  std::size_t steps_ = 0;
  Pile pile_;
};

} // namespace

std::size_t layers_of(const BandChart& chart) {
  return chart.is_by_kind ? kKindLayers.size() : 1;
}

std::size_t layer_of(const BandChart& chart, const Band& band) {
  return chart.is_by_kind ? kind_layer(band.kind.kind) : 0;
}

std::size_t layer_of(const BandChart& chart, const Strip& strip) {
  const auto* kind = std::get_if<MemoryKind>(&strip.key);
  return chart.is_by_kind && kind != nullptr ? kind_layer(*kind) : 0;
}

std::string TimelineShape::path() const {
  if (std::ranges::all_of(steps, [](const ShapeStep& step) { return step.top >= step.bottom; })) return "";
  std::string path = "M" + px(columns_wide(0, steps.front().first)) + " " + px(steps.front().top / 2.0);
  const auto end_of = [&](std::size_t i) { return i + 1 < steps.size() ? steps[i + 1].first : end; };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) move(path, 'v', (steps[i].top - steps[i - 1].top) / 2.0);
    move(path, 'h', columns_wide(steps[i].first, end_of(i)));
  }
  move(path, 'v', (steps.back().bottom - steps.back().top) / 2.0);
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (i == 0) break; // z closes the last side
    move(path, 'h', -columns_wide(steps[i].first, end_of(i)));
    move(path, 'v', (steps[i - 1].bottom - steps[i].bottom) / 2.0);
  }
  move(path, 'h', -columns_wide(steps.front().first, end_of(0)));
  return path + "z";
}

std::string TimelineShape::top_line() const {
  if (steps.empty()) return "";
  std::string path = "M" + px(columns_wide(0, steps.front().first)) + " " + px(steps.front().top / 2.0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (i > 0) move(path, 'v', (steps[i].top - steps[i - 1].top) / 2.0);
    move(path, 'h', columns_wide(steps[i].first, i + 1 < steps.size() ? steps[i + 1].first : end));
  }
  return path;
}

std::optional<Room> room_in(const TimelineShape& shape, double least_height) {
  const std::int32_t least = half_pixels(least_height);
  std::optional<Room> widest;
  std::size_t begin = 0;
  while (begin < shape.steps.size()) {
    std::int32_t top = shape.steps[begin].top;
    std::int32_t bottom = shape.steps[begin].bottom;
    std::size_t end = begin + 1;
    for (; end < shape.steps.size(); ++end) {
      const std::int32_t lower_top = std::max(top, shape.steps[end].top);
      const std::int32_t upper_bottom = std::min(bottom, shape.steps[end].bottom);
      if (upper_bottom - lower_top < least) break;
      top = lower_top;
      bottom = upper_bottom;
    }
    const double width =
        columns_wide(shape.steps[begin].first, end < shape.steps.size() ? shape.steps[end].first : shape.end);
    if (bottom - top >= least && (!widest || width > widest->width))
      widest = Room{columns_wide(0, shape.steps[begin].first), width, top / 2.0, (bottom - top) / 2.0};
    begin = end;
  }
  return widest;
}

std::optional<StackShapes> lay_out_stack(const StackPlan& plan, std::size_t most_steps) {
  const Columns columns = slice_columns(plan.chart, plan.states);
  std::optional<StackShapes> shapes = StackLayout(plan).run(runs_of(columns.highest), most_steps);
  if (!shapes) return std::nullopt;
  const std::int32_t ground = half_pixels(plan.bytes.height());
  for (const ColumnRun& run : runs_of(columns.lowest))
    extend(shapes->lowest, run.first, run.last, half_pixels(plan.bytes.y(plan.chart.slices[run.slice].live_bytes)),
           ground);
  return shapes;
}

TimelineShape lay_out_steps(const std::vector<Step>& steps, Window window, const StateScale& states,
                            const ByteScale& bytes) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), window.first,
                                      [](std::uint32_t state, const Step& step) { return state < step.state; });
  std::vector<Step> within;
  for (auto step = after == steps.begin() ? after : std::prev(after); step != steps.end(); ++step)
    if (step->state <= window.last) within.push_back({std::max(step->state, window.first), step->bytes});
  const std::uint32_t count = column_count(states);
  std::vector<std::uint32_t> highest(count, kNone);
  const auto x = [&](std::size_t i) { return i < within.size() ? states.x(within[i].state) : states.width(); };
  walk_columns(within.size(), count, x, [&](std::uint32_t column, std::uint32_t step) {
    if (highest[column] == kNone || within[step].bytes > within[highest[column]].bytes) highest[column] = step;
  });
  TimelineShape shape;
  const std::int32_t ground = half_pixels(bytes.height());
  for (const ColumnRun& run : runs_of(highest))
    extend(shape, run.first, run.last, half_pixels(bytes.y(within[run.slice].bytes)), ground);
  return shape;
}

} // namespace memviz::render
