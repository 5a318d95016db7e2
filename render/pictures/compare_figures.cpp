#include "pictures/compare_figures.hpp"

#include "page/bars.hpp"
#include "page/header.hpp"
#include "page/notes.hpp"

#include "memviz/compare_words.hpp"
#include "memviz/figures.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <fmt/format.h>

namespace memviz::render {
namespace {

/// The maximum: more would push the graph off the first screen.
constexpr std::size_t kMostDevices = 4;

} // namespace

double draw_gauges(Page& page, double y, const Comparison& comparison) {
  const std::vector<std::size_t> shown = devices_that_changed_most(comparison, kMostDevices);
  for (const std::size_t index : shown) {
    const DeviceReadings& device = comparison.readings[index];
    y = draw_figures(page, y, gauge_figures(device, comparison.readings.size() > 1));
  }
  if (shown.size() == comparison.readings.size()) return y;
  return draw_notes(page, y + 4, {more_devices_text(comparison.readings.size() - shown.size())});
}

double draw_totals(Page& page, double y, const Comparison& comparison) {
  std::vector<Bar> bars;
  const auto add = [&](const std::string& owner, const DeviceFigures& before, const DeviceFigures& after) {
    bars.push_back({owner + "before", bar_parts(before), use_text(before)});
    bars.push_back({owner + "after", bar_parts(after), use_text(after)});
  };
  if (comparison.is_one_moment) {
    y = draw_figures(page, y, change_figures(comparison.before, comparison.after)) + 8;
    add("", comparison.before, comparison.after);
  } else {
    for (const std::size_t index : devices_that_changed_most(comparison, kMostDevices)) {
      const DeviceReadings& device = comparison.readings[index];
      add(device_heading(device) + " ", comparison.devices[index].before.figures,
          comparison.devices[index].after.figures);
    }
  }
  return draw_bars(page, y, bars);
}

} // namespace memviz::render
