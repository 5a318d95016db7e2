#include "pictures/flame_figures.hpp"

#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/moment.hpp"
#include "memviz/places.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz::render {
namespace {

/// A peak this many times above what is drawn deserves a hint.
constexpr double kFarAbove = 1.25;
/// Pools and streams of a device beyond these become one bar.
constexpr std::size_t kMostPlaces = 4;
/// What another moment held: at the peak that is the end.
Figure other_moment_figure(const DeviceStats& sum, bool is_sum) {
  if (sum.events > 0 && sum.at.kind == MomentKind::peak && !is_sum)
    return {.name = "Live at the end",
            .value = format_bytes(sum.end_requested_bytes),
            .note = fmt::format("of {} reserved", format_bytes(sum.end_reserved_bytes))};
  Figure figure{.name = is_sum ? "Sum of peaks" : "Peak requested", .value = format_bytes(sum.peak_requested_bytes)};
  if (sum.events == 0) {
    figure.value = "unknown";
    figure.value_class = "muted";
    figure.note = "no events recorded";
    return figure;
  }
  const auto peak = static_cast<double>(sum.peak_requested_bytes);
  const auto drawn = static_cast<double>(sum.requested_bytes);
  if (sum.requested_bytes > 0 && peak > kFarAbove * drawn) {
    const double ratio = peak / drawn;
    figure.note = ratio > 1000 ? "over 1,000× what is drawn"
                               : fmt::format("{:.{}f}× what is drawn here", ratio, ratio < 9.95 ? 1 : 0);
    figure.note_class = "warning";
  } else if (sum.peak_requested_bytes > 0 && sum.requested_bytes == 0) {
    figure.note = "all of it freed since";
    figure.note_class = "warning";
  }
  return figure;
}

/// The pool is named where there is more than the default one.
std::string place_name(const FrameTable& frames, const Place& place, bool has_pools) {
  if (!has_pools) return fmt::format("stream {}", place.stream);
  return fmt::format("{}, stream {}", node_label(frames, place.pool), place.stream);
}

/// The places of one device, largest first; empty where it has one only.
std::vector<Bar> place_bars(const FrameTable& frames, std::vector<Place> places) {
  std::vector<Bar> bars;
  if (places.size() < 2) return bars;
  std::stable_sort(places.begin(), places.end(), [](const Place& left, const Place& right) {
    return left.totals.reserved_bytes > right.totals.reserved_bytes;
  });
  const std::size_t shown = places.size() > kMostPlaces + 1 ? kMostPlaces : places.size();
  const bool has_pools =
      std::any_of(places.begin(), places.end(), [](const Place& place) { return place.pool.is_private(); });
  MemoryTotals rest;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i >= shown)
      rest += places[i].totals;
    else
      bars.push_back(
          {place_name(frames, places[i], has_pools), bar_parts(places[i].totals), use_text(places[i].totals), true});
  }
  if (shown < places.size())
    bars.push_back({fmt::format("{} more pools and streams", format_count(places.size() - shown)), bar_parts(rest),
                    use_text(rest), true});
  return bars;
}

Bar device_bar(const DeviceStats& stats, bool has_many) {
  Bar bar{device_name(stats.device, stats.is_cpu), bar_parts(stats), use_text(stats)};
  if (!has_many || stats.events == 0) return bar;
  bar.note +=
      stats.at.is_end() ? ", peak " + format_bytes(stats.peak_requested_bytes) : ", " + short_moment_text(stats.at);
  return bar;
}

} // namespace

std::vector<Figure> figures_of(const DeviceStats& sum, std::size_t devices) {
  const std::uint64_t reserved = sum.reserved_bytes;
  const auto part = [](const char* name, std::uint64_t bytes, std::string note, const Paint* swatch) {
    return Figure{.name = name,
                  .value = format_bytes(bytes),
                  .value_class = bytes == 0 ? "muted" : "",
                  .note = std::move(note),
                  .swatch = bytes == 0 ? nullptr : swatch};
  };
  std::vector<Figure> figures;
  figures.push_back({.name = "Reserved", .value = format_bytes(reserved)});
  figures.push_back(part("Allocated", sum.allocated_bytes,
                         fmt::format("{} requested{}", format_bytes(sum.requested_bytes),
                                     sum.pending_free_bytes > 0 ? " with pending" : ""),
                         &paint::kRequested));
  figures.push_back(part("Rounding", sum.rounding_bytes(), "", &paint::kRounding));
  figures.push_back(part("Pending free", sum.pending_free_bytes, "", &paint::kPending));
  figures.push_back(part("Inactive (free)", sum.inactive_bytes,
                         format_percent(sum.inactive_bytes, reserved) + " of reserved", &paint::kInactive));
  if (sum.unaccounted_bytes > 0) {
    figures.push_back(part("Unaccounted", sum.unaccounted_bytes, "covered by no block", &paint::kUnaccounted));
    figures.back().note_class = "warning";
  }
  if (sum.outside_bytes > 0) {
    figures.push_back(part("Outside", sum.outside_bytes, "in no segment", &paint::kUnaccounted));
    figures.back().note_class = "warning";
  }
  figures.push_back(other_moment_figure(sum, devices > 1));
  return figures;
}

std::vector<Bar> bars_of(const MemorySubject& subject) {
  const bool has_many = subject.devices.size() > 1;
  std::vector<Bar> bars;
  for (const DeviceStats& stats : subject.devices) {
    std::vector<Bar> details = place_bars(subject.state.frames(), places_of(subject.state, stats.device));
    bars.push_back(device_bar(stats, has_many));
    if (!has_many && details.empty()) bars.back().name = bars.back().note = ""; // the headline says both
    bars.insert(bars.end(), details.begin(), details.end());
  }
  return bars;
}

} // namespace memviz::render
