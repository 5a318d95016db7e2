#include "memviz/timeline.hpp"

#include "analysis/timeline/timeline_slices.hpp"

#include <algorithm>
#include <map>

namespace memviz {
namespace {

/// A life that is no band, as the slices see it.
struct Seen {
  NodeKey line;
  std::uint64_t size_bytes = 0;
  std::uint32_t first = 0; ///< slices
  std::uint32_t last = 0;  ///< behind them
};

/// The lives of a chart that are no bands: of the baseline, or all others.
class Unbanded {
public:
  Unbanded(const LifeLines& lines, const DeviceRecord& record, const BandChart& chart)
      : lines_(lines), record_(record), chart_(chart), slice_at_(chart.slices, chart.window) {}

  /// Those of `lives`, which stand in the order of the bands. Calls `seen(life)`.
  template <class Visit> void visit(const std::vector<Life>& lives, const Visit& seen) const {
    std::size_t next_band = 0;
    for (const Life& life : lives) {
      if (life.begin > chart_.window.last || life.end <= chart_.window.first) continue;
      if (next_band < chart_.bands.size() && is_same(chart_.bands[next_band].life, life)) {
        ++next_band;
        continue;
      }
      const std::uint32_t first = slice_at_(life.begin);
      const std::uint32_t last = slice_at_(life.end);
      if (first < last) seen(Seen{lines_.line_of(record_.device, life), life.size_bytes, first, last});
    }
  }

private:
  /// No two lives of one address begin together.
  static bool is_same(const Life& band, const Life& life) {
    return band.begin == life.begin && band.address == life.address;
  }

  const LifeLines& lines_;
  const DeviceRecord& record_;
  const BandChart& chart_;
  SliceIndex slice_at_;
};

using LifeLists = std::vector<const std::vector<Life>*>;

/// Mean bytes over the slices, and those at the peak: what a reader sees of a line. Largest first.
std::vector<NodeKey> weightiest(const Unbanded& unbanded, const LifeLists& lists, const BandChart& chart,
                                std::size_t most) {
  std::map<NodeKey, double> weights;
  for (const std::vector<Life>* lives : lists) {
    unbanded.visit(*lives, [&](const Seen& seen) {
      const double share = static_cast<double>(seen.last - seen.first) / static_cast<double>(chart.slices.size());
      const bool is_at_peak = seen.first <= chart.peak && chart.peak < seen.last;
      weights[seen.line] += static_cast<double>(seen.size_bytes) * (share + (is_at_peak ? 1 : 0));
    });
  }
  std::vector<std::pair<double, NodeKey>> ranked;
  for (const auto& [line, weight] : weights)
    ranked.emplace_back(-weight, line);
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), most));
  std::vector<NodeKey> lines;
  for (const auto& [weight, line] : ranked)
    lines.push_back(line);
  return lines;
}

/// What lives and what is freed do not agree on stands with the other lines; where that would be less than nothing, the
/// uppermost lines give way.
void fit(std::vector<Strip>& strips, std::size_t slice, std::uint64_t wanted_bytes) {
  std::uint64_t sum_bytes = 0;
  for (const Strip& strip : strips)
    sum_bytes += strip.bytes[slice];
  if (sum_bytes < wanted_bytes) strips.back().bytes[slice] += wanted_bytes - sum_bytes;
  for (auto strip = strips.rbegin(); strip != strips.rend() && sum_bytes > wanted_bytes; ++strip) {
    const std::uint64_t taken = std::min(strip->bytes[slice], sum_bytes - wanted_bytes);
    strip->bytes[slice] -= taken;
    sum_bytes -= taken;
  }
}

/// Strips of `lines`, then one of all others, with the bytes of `lists`.
std::vector<Strip> summed(const Unbanded& unbanded, const LifeLists& lists, const std::vector<NodeKey>& lines,
                          std::size_t slices) {
  std::map<NodeKey, std::size_t> places;
  std::vector<Strip> strips;
  for (const NodeKey& line : lines) {
    places.emplace(line, strips.size());
    strips.push_back({.line = line, .bytes = std::vector<std::uint64_t>(slices + 1)});
  }
  strips.push_back({.bytes = std::vector<std::uint64_t>(slices + 1)});
  for (const std::vector<Life>* lives : lists) {
    unbanded.visit(*lives, [&](const Seen& seen) {
      const auto place = places.find(seen.line);
      Strip& strip = strips[place == places.end() ? lines.size() : place->second];
      ++strip.lives;
      // Differences for now: below 0 they wrap around, and back when they are summed up.
      strip.bytes[seen.first] += seen.size_bytes;
      strip.bytes[seen.last] -= seen.size_bytes;
    });
  }
  for (Strip& strip : strips) {
    for (std::size_t slice = 1; slice < slices; ++slice)
      strip.bytes[slice] += strip.bytes[slice - 1];
    strip.bytes.pop_back();
  }
  return strips;
}

} // namespace

std::vector<Strip> chart_strips(const LifeLines& lines, const DeviceRecord& record, const BandChart& chart,
                                TimelineKind kind, std::size_t most) {
  const Unbanded unbanded(lines, record, chart);
  const auto strips_of = [&](const LifeLists& lists, std::uint64_t Slice::*bytes) {
    std::vector<Strip> strips = summed(unbanded, lists, weightiest(unbanded, lists, chart, most), chart.slices.size());
    for (std::size_t slice = 0; slice < chart.slices.size(); ++slice)
      fit(strips, slice, chart.slices[slice].*bytes);
    return strips;
  };
  if (kind == TimelineKind::segments) return strips_of({&record.ranges}, &Slice::rest_bytes);
  std::vector<Strip> strips = strips_of({&record.freed_baseline, &record.kept_baseline}, &Slice::baseline_bytes);
  for (Strip& strip : strips)
    strip.is_baseline = true;
  for (Strip& strip : strips_of({&record.lives}, &Slice::rest_bytes))
    strips.push_back(std::move(strip));
  return strips;
}

} // namespace memviz
