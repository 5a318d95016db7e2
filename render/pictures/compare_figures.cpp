#include "pictures/compare_figures.hpp"

#include "page/bars.hpp"
#include "page/header.hpp"
#include "page/naming.hpp"
#include "page/notes.hpp"

#include "base/saturating.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>
#include <limits>

namespace memviz::render {
namespace {

/// More would push the graph off the first screen.
constexpr std::size_t kMostDevices = 4;

std::string_view delta_class(std::int64_t delta) {
  if (delta == 0) return "muted";
  return delta > 0 ? "plus" : "minus";
}

Figure change_figure(std::string name, const Reading& reading, const Paint* swatch = nullptr) {
  const auto bytes = [](const std::optional<std::uint64_t>& known) {
    return known ? format_bytes(*known) : std::string("unknown");
  };
  const std::int64_t delta = reading.change_bytes();
  Figure figure{.name = std::move(name),
                .value = delta == 0 ? "no change" : delta_text(delta),
                .value_class = delta_class(delta),
                .note = fmt::format("{} → {}", bytes(reading.before_bytes), bytes(reading.after_bytes)),
                .swatch = reading.before_bytes == 0U && reading.after_bytes == 0U ? nullptr : swatch};
  if (!reading.is_known()) figure.value = "unknown";
  if (delta != 0 && *reading.before_bytes > 0)
    figure.note += fmt::format(" ({})", format_change(magnitude(delta), *reading.before_bytes));
  return figure;
}

std::string figure_name(Gauge gauge) {
  switch (gauge) {
  case Gauge::peak: return "Requested at the peak";
  case Gauge::end: return "Requested at the end";
  case Gauge::reserved: break;
  }
  return "Reserved at the end";
}

std::vector<Figure> total_figures(const DeviceStats& before, const DeviceStats& after) {
  std::vector<Figure> figures{
      change_figure("Reserved", {before.reserved_bytes, after.reserved_bytes}),
      change_figure("Allocated", {before.allocated_bytes, after.allocated_bytes}, &paint::kRequested),
      change_figure("Rounding", {before.rounding_bytes(), after.rounding_bytes()}, &paint::kRounding),
  };
  if (before.pending_free_bytes > 0 || after.pending_free_bytes > 0)
    figures.push_back(
        change_figure("Pending free", {before.pending_free_bytes, after.pending_free_bytes}, &paint::kPending));
  figures.push_back(change_figure("Inactive (free)", {before.inactive_bytes, after.inactive_bytes}, &paint::kInactive));
  if (before.unaccounted_bytes > 0 || after.unaccounted_bytes > 0)
    figures.push_back(
        change_figure("Unaccounted", {before.unaccounted_bytes, after.unaccounted_bytes}, &paint::kUnaccounted));
  return figures;
}

} // namespace

double draw_gauges(Page& page, double y, const Comparison& comparison) {
  const std::vector<std::size_t> shown = devices_that_changed_most(comparison, kMostDevices);
  for (const std::size_t index : shown) {
    const DeviceReadings& device = comparison.readings[index];
    const std::string owner =
        comparison.readings.size() > 1 ? device_name(device.device, device.is_cpu) + ": " : std::string();
    std::vector<Figure> figures;
    for (const Gauge gauge : kGauges)
      figures.push_back(change_figure(owner + figure_name(gauge), device.of(gauge)));
    y = draw_figures(page, y, figures);
  }
  if (shown.size() == comparison.readings.size()) return y;
  return draw_notes(
      page, y + 4,
      {fmt::format("and {}, which changed less.", count_of(comparison.readings.size() - shown.size(), "more device"))});
}

double draw_totals(Page& page, double y, const Comparison& comparison) {
  std::vector<Bar> bars;
  const auto add = [&](const std::string& owner, const DeviceStats& before, const DeviceStats& after) {
    bars.push_back({owner + "before", bar_parts(before), use_text(before)});
    bars.push_back({owner + "after", bar_parts(after), use_text(after)});
  };
  if (comparison.is_one_moment) {
    y = draw_figures(page, y, total_figures(comparison.before, comparison.after)) + 8;
    add("", comparison.before, comparison.after);
  } else {
    for (const std::size_t index : devices_that_changed_most(comparison, kMostDevices)) {
      const DeviceReadings& device = comparison.readings[index];
      add(device_name(device.device, device.is_cpu) + " ", comparison.devices[index].before,
          comparison.devices[index].after);
    }
  }
  return draw_bars(page, y, bars);
}

} // namespace memviz::render
