#include "memviz/timeline.hpp"

#include "analysis/timeline/timeline_slices.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace memviz {
namespace {

/// Keys as small numbers, in the order in which they are first seen.
class KeyNumbers {
public:
  [[nodiscard]] std::uint32_t of(const NodeKey& key) {
    const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(key);
    return entry->second;
  }
  [[nodiscard]] const NodeKey& key(std::size_t number) const { return keys_[number]; }

private:
  std::map<NodeKey, std::uint32_t> numbers_;
  std::vector<NodeKey> keys_;
};

/// A life that is not a band, as seen at the slices.
struct Seen {
  std::uint32_t key = 0; ///< its number
  std::uint64_t size_bytes = 0;
  std::uint32_t first = 0; ///< slices
  std::uint32_t last = 0;  ///< after them
};

/// Lives in order of `begin`, with their kinds if the chart is by kind, else null.
struct LifeList {
  const std::vector<Life>* lives;
  const std::vector<KindOf>* kinds = nullptr;
};
using LifeLists = std::vector<LifeList>;

/// The lives of a chart that are not bands: of the baseline, or all others.
class Unbanded {
public:
  Unbanded(const LifeLines& lines, const DeviceRecord& record, const BandChart& chart)
      : lines_(lines), record_(record), chart_(chart), slice_at_(chart.slices, chart.window) {
    for (const Band& band : chart.bands)
      banded_.push_back(band.life);
    std::ranges::stable_sort(banded_, [](const Life& left, const Life& right) { return left.begin < right.begin; });
  }

  [[nodiscard]] KeyNumbers& numbers() { return numbers_; }

  /// Calls `seen(life)`.
  template <class Visit> void visit(const LifeList& list, const Visit& seen) {
    std::size_t next_band = 0;
    for (std::size_t i = 0; i < list.lives->size(); ++i) {
      const Life& life = (*list.lives)[i];
      if (life.begin > chart_.window.last || life.end <= chart_.window.first) continue;
      if (next_band < banded_.size() && is_same(banded_[next_band], life)) {
        ++next_band;
        continue;
      }
      const std::uint32_t first = slice_at_(life.begin);
      const std::uint32_t last = slice_at_(life.end);
      if (first >= last) continue;
      const std::uint32_t key = list.kinds ? number_of_kind((*list.kinds)[i].kind) : number_of_line(life);
      seen(Seen{key, life.size_bytes, first, last});
    }
  }

private:
  /// No two lives of one address begin together.
  static bool is_same(const Life& band, const Life& life) {
    return band.begin == life.begin && band.address == life.address;
  }

  std::uint32_t number_of_kind(MemoryKind kind) {
    return known_in(of_kind_, static_cast<std::size_t>(kind), [&] { return numbers_.of(kind); });
  }

  /// Memory with a stack has the same line whenever it lives.
  std::uint32_t number_of_line(const Life& life) {
    const auto number = [&] { return numbers_.of(lines_.line_of(record_.device, life)); };
    return life.stack == kNoFrames ? number() : known_in(of_stack_, life.stack.value, number);
  }

  template <class Find>
  static std::uint32_t known_in(std::vector<std::uint32_t>& numbers, std::size_t place, const Find& find) {
    constexpr std::uint32_t kUnknown = 0xFFFFFFFF;
    if (place >= numbers.size()) numbers.resize(place + 1, kUnknown);
    if (numbers[place] == kUnknown) numbers[place] = find();
    return numbers[place];
  }

  const LifeLines& lines_;
  const DeviceRecord& record_;
  const BandChart& chart_;
  KeyNumbers numbers_;
  std::vector<std::uint32_t> of_stack_; ///< by stack
  std::vector<std::uint32_t> of_kind_;
  SliceIndex slice_at_;
  std::vector<Life> banded_; ///< those of the bands, in order of `begin`
};

/// Mean bytes over the slices, and those at the peak: the visible extent of a line. Largest first.
std::vector<NodeKey> weightiest(Unbanded& unbanded, const LifeLists& lists, const BandChart& chart, std::size_t most) {
  std::vector<std::optional<double>> weights; // by key
  for (const LifeList& list : lists) {
    unbanded.visit(list, [&](const Seen& seen) {
      const double share = static_cast<double>(seen.last - seen.first) / static_cast<double>(chart.slices.size());
      const bool is_at_peak = seen.first <= chart.peak && chart.peak < seen.last;
      if (seen.key >= weights.size()) weights.resize(seen.key + 1);
      weights[seen.key] =
          weights[seen.key].value_or(0) + static_cast<double>(seen.size_bytes) * (share + (is_at_peak ? 1 : 0));
    });
  }
  std::vector<std::pair<double, NodeKey>> ranked;
  for (std::size_t number = 0; number < weights.size(); ++number)
    if (weights[number]) ranked.emplace_back(-*weights[number], unbanded.numbers().key(number));
  std::ranges::sort(ranked);
  ranked.resize(std::min(ranked.size(), most));
  std::vector<NodeKey> lines;
  for (const auto& [weight, line] : ranked)
    lines.push_back(line);
  return lines;
}

/// Adds the bytes on which live and freed memory disagree to the last strip; if the strips have too many, takes them
/// from the uppermost ones.
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

/// Returns a strip for each of `keys`, the last of which gets all others, with the bytes of `lists`.
std::vector<Strip> summed(Unbanded& unbanded, const LifeLists& lists, const std::vector<NodeKey>& keys,
                          std::size_t slices) {
  std::vector<std::size_t> places; // by key
  std::vector<Strip> strips;
  for (const NodeKey& key : keys) {
    const std::uint32_t number = unbanded.numbers().of(key);
    if (number >= places.size()) places.resize(number + 1, keys.size() - 1);
    places[number] = strips.size();
    strips.push_back({.key = key, .bytes = std::vector<std::uint64_t>(slices + 1)});
  }
  for (const LifeList& list : lists) {
    unbanded.visit(list, [&](const Seen& seen) {
      Strip& strip = seen.key < places.size() ? strips[places[seen.key]] : strips.back();
      ++strip.lives;
      // Differences for now: those below 0 wrap around, and wrap back when they are summed.
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

/// Removes the strips by kind that are not needed.
void drop_empty(std::vector<Strip>& strips, const BandChart& chart) {
  std::erase_if(strips, [&](const Strip& strip) {
    const auto is_of_kind = [&](const Band& band) { return NodeKey(band.kind.kind) == strip.key; };
    const bool is_empty = strip.lives == 0 && std::ranges::all_of(strip.bytes, [](auto bytes) { return bytes == 0; });
    if (!is_empty) return false;
    return strip.is_baseline ||
           (strip.key != NodeKey(MemoryKind::unknown) && std::ranges::none_of(chart.bands, is_of_kind));
  });
}

} // namespace

std::vector<Strip> chart_strips(const LifeLines& lines, const DeviceRecord& record, const BandChart& chart,
                                TimelineKind kind, std::size_t most) {
  Unbanded unbanded(lines, record, chart);
  const auto keys_of = [&](const LifeLists& lists) {
    if (chart.is_by_kind) return std::vector<NodeKey>(kKindLayers.begin(), kKindLayers.end());
    std::vector<NodeKey> keys = weightiest(unbanded, lists, chart, most);
    keys.emplace_back(RootKey{});
    return keys;
  };
  const auto strips_of = [&](const LifeLists& lists, std::uint64_t Slice::*bytes) {
    std::vector<Strip> strips = summed(unbanded, lists, keys_of(lists), chart.slices.size());
    for (std::size_t slice = 0; slice < chart.slices.size(); ++slice)
      fit(strips, slice, chart.slices[slice].*bytes);
    return strips;
  };
  if (kind == TimelineKind::segments) return strips_of({{&record.ranges}}, &Slice::rest_bytes);
  const LifeKinds* const kinds = chart.is_by_kind ? &*record.kinds : nullptr;
  const auto list_of = [&](std::vector<Life> DeviceRecord::*lives, std::vector<KindOf> LifeKinds::*life_kinds) {
    return LifeList{&(record.*lives), kinds == nullptr ? nullptr : &(kinds->*life_kinds)};
  };
  std::vector<Strip> strips = strips_of({list_of(&DeviceRecord::freed_baseline, &LifeKinds::freed_baseline),
                                         list_of(&DeviceRecord::kept_baseline, &LifeKinds::kept_baseline)},
                                        &Slice::baseline_bytes);
  // At the bottom, where the scale may be cut: nothing with a name is drawn smaller than it is.
  if (!chart.is_by_kind)
    std::stable_partition(strips.begin(), strips.end(),
                          [](const Strip& strip) { return std::holds_alternative<Pseudo>(strip.key); });
  for (Strip& strip : strips)
    strip.is_baseline = true;
  for (Strip& strip : strips_of({list_of(&DeviceRecord::lives, &LifeKinds::lives)}, &Slice::rest_bytes))
    strips.push_back(std::move(strip));
  if (chart.is_by_kind) drop_empty(strips, chart);
  return strips;
}

} // namespace memviz
