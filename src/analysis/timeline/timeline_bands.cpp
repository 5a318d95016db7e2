#include "memviz/timeline.hpp"

#include "analysis/timeline/timeline_slices.hpp"
#include "base/number_map.hpp"

#include <algorithm>

namespace memviz {
namespace {

/// A life that is visible at some slice.
struct Candidate {
  std::uint64_t size_bytes;
  std::uint32_t index;

  /// Larger ones are drawn first, then earlier ones.
  [[nodiscard]] bool goes_before(const Candidate& other) const {
    return size_bytes != other.size_bytes ? size_bytes > other.size_bytes : index < other.index;
  }
};

/// Now and then drops all but the `most` that go first, so that at most twice as many are held.
void prune(std::vector<Candidate>& candidates, std::size_t most) {
  if (candidates.size() <= most) return;
  std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(most), candidates.end(),
                   [](const Candidate& left, const Candidate& right) { return left.goes_before(right); });
  candidates.resize(most);
}

/// `kinds`: of the lives of `curves`; null if unknown.
void choose_bands(const Curves& curves, const std::vector<KindOf>* kinds, const TimelineOptions& options,
                  BandChart& chart) {
  const SliceIndex slice_at(chart.slices, chart.window);
  std::vector<Candidate> chosen;
  const std::vector<Life>& lives = *curves.lives;
  for (std::size_t i = 0; i < lives.size(); ++i) {
    const Life& life = lives[i];
    if (life.begin > chart.window.last || life.end <= chart.window.first) continue;
    ++chart.rest_lives;
    if (slice_at(life.begin) >= slice_at(life.end)) continue;
    ++chart.candidates;
    if (life.size_bytes == 0 || life.size_bytes < options.least_bytes) continue;
    chosen.push_back({life.size_bytes, static_cast<std::uint32_t>(i)});
    if (chosen.size() > 2 * options.most_bands + 1024) prune(chosen, options.most_bands);
  }
  prune(chosen, options.most_bands);
  std::ranges::sort(chosen, [](const Candidate& left, const Candidate& right) { return left.index < right.index; });
  for (const Candidate& candidate : chosen) {
    const Life& life = lives[candidate.index];
    chart.bands.push_back({.life = life,
                           .first = slice_at(life.begin),
                           .last = slice_at(life.end),
                           .kind = kinds == nullptr ? KindOf{} : (*kinds)[candidate.index]});
  }
  chart.rest_lives -= chart.bands.size();
  if (!chart.is_by_kind) return;
  std::ranges::stable_sort(chart.bands, [](const Band& lower, const Band& upper) {
    return kind_layer(lower.kind.kind) < kind_layer(upper.kind.kind);
  });
}

void count_earlier_uses(const std::vector<Life>& lives, const std::vector<Life>& freed_baseline,
                        std::vector<Band>& bands) {
  NumberMap is_drawn;
  for (const Band& band : bands)
    is_drawn.insert(band.life.address, 0);
  using Use = std::pair<std::uint64_t, std::uint32_t>; // address, end
  std::vector<Use> uses;
  for (const std::vector<Life>* list : {&lives, &freed_baseline}) {
    for (const Life& life : *list)
      if (life.end != kForever && is_drawn.contains(life.address)) uses.emplace_back(life.address, life.end);
  }
  std::ranges::sort(uses);
  for (Band& band : bands) {
    const auto first = std::lower_bound(uses.begin(), uses.end(), Use{band.life.address, 0});
    const auto last = std::upper_bound(first, uses.end(), Use{band.life.address, band.life.begin});
    band.earlier_uses = static_cast<std::uint32_t>(std::distance(first, last));
  }
}

/// Computes the bytes that neither the baseline nor the bands explain.
void count_rest(BandChart& chart) {
  std::vector<std::int64_t> banded(chart.slices.size() + 1);
  for (const Band& band : chart.bands) {
    banded[band.first] += static_cast<std::int64_t>(band.life.size_bytes);
    banded[band.last] -= static_cast<std::int64_t>(band.life.size_bytes);
  }
  std::int64_t banded_bytes = 0;
  for (std::size_t i = 0; i < chart.slices.size(); ++i) {
    Slice& slice = chart.slices[i];
    banded_bytes += banded[i];
    const std::int64_t rest =
        static_cast<std::int64_t>(slice.live_bytes) - static_cast<std::int64_t>(slice.baseline_bytes) - banded_bytes;
    slice.rest_bytes = rest < 0 ? 0 : static_cast<std::uint64_t>(rest);
    chart.has_negative_rest = chart.has_negative_rest || rest < 0;
    if (slice.live_bytes > chart.slices[chart.peak].live_bytes) chart.peak = i;
  }
}

} // namespace

std::vector<Step> live_steps(const BandChart& chart) {
  std::vector<Step> steps;
  for (const Slice& slice : chart.slices)
    steps.push_back({slice.state, slice.live_bytes});
  return steps;
}

BandChart chart_bands(const DeviceRecord& record, Window window, const TimelineOptions& options) {
  BandChart chart;
  chart.window = window;
  const Curves curves = curves_of(record, options);
  for (const std::uint32_t state : slice_states(record, curves, window, options))
    chart.slices.push_back(
        {.state = state, .baseline_bytes = curves.baseline_at(state), .live_bytes = curves.live[state]});
  const bool has_kinds = record.kinds && options.kind == TimelineKind::allocations;
  chart.is_by_kind = has_kinds && options.by_kind;
  choose_bands(curves, has_kinds ? &record.kinds->lives : nullptr, options, chart);
  static const std::vector<Life> none;
  count_earlier_uses(*curves.lives, options.kind == TimelineKind::segments ? none : record.freed_baseline, chart.bands);
  count_rest(chart);
  return chart;
}

} // namespace memviz
