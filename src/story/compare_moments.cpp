#include "base/printable.hpp"
#include "memviz/compare.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace memviz {
namespace {

std::uint64_t largest_change(const DeviceReadings& readings) {
  std::uint64_t largest = 0;
  for (const Reading& reading : readings.readings) {
    const std::int64_t change = reading.change_bytes();
    largest = std::max(largest, static_cast<std::uint64_t>(change < 0 ? -change : change));
  }
  return largest;
}

} // namespace

std::vector<std::size_t> devices_that_changed_most(const Comparison& comparison, std::size_t most) {
  std::vector<std::size_t> order(comparison.readings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t one, std::size_t other) {
    return largest_change(comparison.readings[one]) > largest_change(comparison.readings[other]);
  });
  order.resize(std::min(order.size(), most));
  std::ranges::sort(order);
  return order;
}

std::string common_moment(const Comparison& comparison) {
  std::optional<MomentKind> common;
  for (const DeviceChange& device : comparison.devices) {
    for (const DeviceState* side : {&device.before, &device.after}) {
      if (side->figures.segments == 0 && side->figures.events == 0) continue; // not there
      if (common && *common != side->moment.kind) return "";
      common = side->moment.kind;
    }
  }
  if (!common) return "";
  switch (*common) {
  case MomentKind::end: return "at the end";
  case MomentKind::peak: return "at the peak";
  case MomentKind::oom: return "at the out-of-memory error";
  case MomentKind::time:
  case MomentKind::annotation:
  case MomentKind::event:
  case MomentKind::automatic: break;
  }
  return "at the moment given";
}

std::string script_text(const Comparison& comparison) {
  if (comparison.script_before.empty()) return "";
  return fmt::format("{} and {} have the same functions, and are compared as one script",
                     printable(comparison.script_before), printable(comparison.script_after));
}

std::string match_text(const Comparison& comparison) {
  if (!comparison.is_match_chosen) return "";
  return fmt::format("most lines only moved ({} is on both sides at other lines of the same functions), so they are "
                     "compared by function; --match line compares them line by line",
                     format_bytes(comparison.moved_lines_bytes));
}

std::string end_text(const Comparison& comparison) {
  const bool are_at_peak = std::ranges::all_of(comparison.devices, [](const DeviceChange& device) {
    return device.before.moment.kind == MomentKind::peak && device.after.moment.kind == MomentKind::peak;
  });
  const auto changed = [&](Gauge gauge) {
    return std::ranges::any_of(comparison.readings,
                               [&](const DeviceReadings& device) { return device.of(gauge).change_bytes() != 0; });
  };
  if (!are_at_peak || !comparison.changes.empty() || changed(Gauge::peak) || !changed(Gauge::end)) return "";
  return "the peaks are equal and only the ends differ: --at end compares those";
}

std::string device_prefix(const Comparison& comparison, const UserLineChange& line) {
  if (!line.device) return "";
  const auto at =
      std::lower_bound(comparison.readings.begin(), comparison.readings.end(), *line.device,
                       [](const DeviceReadings& readings, DeviceId device) { return readings.device < device; });
  return device_name(*at) + ": ";
}

} // namespace memviz
