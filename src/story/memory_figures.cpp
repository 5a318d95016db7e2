#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/moment.hpp"
#include "memviz/places.hpp"
#include "story/figures.hpp"
#include "story/short_label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace memviz {
namespace {

/// A peak that exceeds the drawn memory by this factor deserves a hint.
constexpr double kFarAbove = 1.25;
/// A part below this share of reserved memory is faint.
constexpr std::uint64_t kNotable = 100;

/// Whether a fact of the picture gives the end: of one device at its peak.
bool has_end_in_facts(std::span<const DeviceState> devices) {
  return shown_device(devices) != nullptr && shown_moment(devices).kind == MomentKind::peak;
}

/// Returns the memory at the other moment: at the peak, that is the end.
Figure other_moment_figure(std::span<const DeviceState> devices) {
  const DeviceFigures sum = shown_figures(devices);
  if (sum.events > 0 && shown_moment(devices).kind == MomentKind::peak)
    return {.name = "Requested at the end",
            .value = format_bytes(sum.end_live_bytes()),
            .note = fmt::format("of {} reserved", format_bytes(sum.end_reserved_bytes))};
  Figure figure{.name = "Peak requested", .value = format_bytes(sum.peak_requested_bytes)};
  if (sum.events == 0) {
    figure.value = "unknown";
    figure.tone = FigureTone::faint;
    figure.note = "no events recorded";
    return figure;
  }
  const auto peak = static_cast<double>(sum.peak_requested_bytes);
  const auto drawn = static_cast<double>(sum.requested_bytes);
  if (sum.requested_bytes > 0 && peak > kFarAbove * drawn) {
    const double ratio = peak / drawn;
    figure.note = ratio > 1000 ? "over 1,000× what is drawn"
                               : fmt::format("{:.{}f}× what is drawn here", ratio, ratio < 9.95 ? 1 : 0);
    figure.is_warning = true;
  } else if (sum.peak_requested_bytes > 0 && sum.requested_bytes == 0) {
    figure.note = "all of it freed since";
    figure.is_warning = true;
  }
  return figure;
}

/// The pools and streams of a device beyond this number become one row.
constexpr std::size_t kMostPlaces = 4;

/// The pool is named if there are others besides the default one.
std::string place_name(const FrameTable& frames, const Place& place, bool has_pools) {
  if (!has_pools) return short_stream(place.stream);
  return fmt::format("{}, {}", node_label(frames, place.pool), short_stream(place.stream));
}

/// Returns the places of one device, largest first; empty if it has only one.
std::vector<MemoryRow> place_rows(const FrameTable& frames, std::vector<Place> places) {
  std::vector<MemoryRow> rows;
  if (places.size() < 2) return rows;
  std::ranges::stable_sort(places, [](const Place& left, const Place& right) {
    return left.totals.reserved_bytes > right.totals.reserved_bytes;
  });
  const std::size_t shown = places.size() > kMostPlaces + 1 ? kMostPlaces : places.size();
  const bool has_pools = std::ranges::any_of(places, [](const Place& place) { return place.pool.is_private(); });
  MemoryTotals rest;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (i >= shown)
      rest += places[i].totals;
    else
      rows.push_back({place_name(frames, places[i], has_pools), places[i].totals, use_text(places[i].totals), true});
  }
  if (shown < places.size())
    rows.push_back(
        {fmt::format("{} more pools and streams", format_count(places.size() - shown)), rest, use_text(rest), true});
  return rows;
}

MemoryRow device_row(const DeviceState& device_state, bool has_many) {
  MemoryRow row{device_heading(device_state), static_cast<const MemoryTotals&>(device_state.figures),
                use_text(device_state.figures)};
  if (!has_many || device_state.figures.events == 0) return row;
  row.note += device_state.moment.is_end() ? ", peak " + format_bytes(device_state.figures.peak_requested_bytes)
                                           : ", " + short_moment_text(device_state.moment);
  return row;
}

} // namespace

std::vector<Figure> memory_figures(std::span<const DeviceState> devices) {
  const DeviceFigures sum = shown_figures(devices);
  const std::uint64_t reserved = sum.reserved_bytes;
  const auto part = [reserved](const char* name, std::uint64_t bytes, std::string note, MemoryPart which) {
    return Figure{.name = name,
                  .value = format_bytes(bytes),
                  .tone = bytes < reserved / kNotable || bytes == 0 ? FigureTone::faint : FigureTone::plain,
                  .note = std::move(note),
                  .part = bytes == 0 ? MemoryPart::none : which};
  };
  std::vector<Figure> figures;
  figures.push_back({.name = "Reserved", .value = format_bytes(reserved)});
  figures.push_back(part("In use", sum.allocated_bytes,
                         fmt::format("{} requested{}", format_bytes(sum.requested_bytes),
                                     sum.pending_free_bytes > 0 ? " with pending" : ""),
                         MemoryPart::requested));
  figures.push_back(part("Rounding", sum.rounding_bytes(), "", MemoryPart::rounding));
  figures.push_back(part("Awaiting free", sum.pending_free_bytes, "", MemoryPart::pending_free));
  figures.push_back(part("Free", sum.inactive_bytes, format_percent(sum.inactive_bytes, reserved) + " of reserved",
                         MemoryPart::inactive));
  if (sum.unaccounted_bytes > 0) {
    figures.push_back(part("Unaccounted", sum.unaccounted_bytes, "covered by no block", MemoryPart::unaccounted));
    figures.back().is_warning = true;
  }
  if (sum.outside_bytes > 0) {
    figures.push_back(part("Outside", sum.outside_bytes, "in no segment", MemoryPart::unaccounted));
    figures.back().is_warning = true;
  }
  if (sum.events == 0 || !has_end_in_facts(devices)) figures.push_back(other_moment_figure(devices));
  return figures;
}

std::vector<MemoryRow> memory_rows(const MemorySubject& subject) {
  const bool has_many = subject.devices.size() > 1;
  std::vector<MemoryRow> rows;
  for (const DeviceState* device_state : leading_first(subject.devices)) {
    std::vector<MemoryRow> details = place_rows(subject.state.frames(), places_of(subject.state, device_state->device));
    rows.push_back(device_row(*device_state, has_many));
    if (!has_many && details.empty()) rows.back().name = rows.back().note = ""; // the headline says both
    rows.insert(rows.end(), details.begin(), details.end());
  }
  return rows;
}

} // namespace memviz
