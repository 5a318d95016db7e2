#include "base/saturating.hpp"
#include "memviz/format.hpp"
#include "memviz/gauges.hpp"
#include "memviz/label.hpp"
#include "story/figures.hpp"

#include <fmt/format.h>
#include <optional>
#include <utility>

namespace memviz {
namespace {

FigureTone tone_of(std::int64_t delta) {
  if (delta == 0) return FigureTone::faint;
  return delta > 0 ? FigureTone::more : FigureTone::less;
}

/// "+11.4 %"; a bound has a word instead of a sign, "> 99.9 % less", and a factor needs none.
std::string signed_change(const std::string& change, std::int64_t delta) {
  if (!change.ends_with('%')) return change;
  if (change.front() == '<' || change.front() == '>') return change + (delta < 0 ? " less" : " more");
  return (delta < 0 ? "−" : "+") + change;
}

Figure change_figure(std::string name, const Reading& reading, MemoryPart part = MemoryPart::none) {
  const auto bytes = [](const std::optional<std::uint64_t>& known) {
    return known ? format_bytes(*known) : std::string("unknown");
  };
  const std::int64_t delta = reading.change_bytes();
  Figure figure{.name = std::move(name),
                .value = delta == 0 ? "no change" : delta_text(delta),
                .tone = tone_of(delta),
                .note = fmt::format("{} → {}", bytes(reading.before_bytes), bytes(reading.after_bytes)),
                .part = reading.before_bytes == 0U && reading.after_bytes == 0U ? MemoryPart::none : part};
  if (!reading.is_known()) figure.value = "unknown";
  if (delta != 0 && *reading.before_bytes > 0) {
    const std::string change = format_change(magnitude(delta), *reading.before_bytes);
    figure.note += fmt::format(" ({})", signed_change(change, delta));
  }
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

} // namespace

std::vector<Figure> gauge_figures(const DeviceReadings& device, bool names_device) {
  const std::string owner = names_device ? device_heading(device) + ": " : std::string();
  std::vector<Figure> figures;
  for (const Gauge gauge : kGauges)
    figures.push_back(change_figure(owner + figure_name(gauge), device.of(gauge)));
  return figures;
}

std::vector<Figure> change_figures(const DeviceFigures& before, const DeviceFigures& after) {
  std::vector<Figure> figures{
      change_figure("Reserved", {before.reserved_bytes, after.reserved_bytes}),
      change_figure("In use", {before.allocated_bytes, after.allocated_bytes}, MemoryPart::requested),
      change_figure("Rounding", {before.rounding_bytes(), after.rounding_bytes()}, MemoryPart::rounding),
  };
  if (before.pending_free_bytes > 0 || after.pending_free_bytes > 0)
    figures.push_back(change_figure("Awaiting free", {before.pending_free_bytes, after.pending_free_bytes},
                                    MemoryPart::pending_free));
  figures.push_back(change_figure("Free", {before.inactive_bytes, after.inactive_bytes}, MemoryPart::inactive));
  if (before.unaccounted_bytes > 0 || after.unaccounted_bytes > 0)
    figures.push_back(
        change_figure("Unaccounted", {before.unaccounted_bytes, after.unaccounted_bytes}, MemoryPart::unaccounted));
  return figures;
}

} // namespace memviz
