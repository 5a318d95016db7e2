#include "memviz/compare_report.hpp"

#include "base/printable.hpp"
#include "base/saturating.hpp"
#include "base/wrap.hpp"
#include "export/stack_lines.hpp"
#include "export/text_table.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/compare_words.hpp"
#include "story/kind_totals.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace memviz {

namespace {

constexpr std::size_t kMostChanges = 10;
constexpr std::size_t kMostDevices = 8;
constexpr std::size_t kLabelColumns = 64;
constexpr std::size_t kFileColumns = 50;
constexpr std::size_t kColumns = 100;
constexpr std::string_view kIndent = "  ";

/// Sizes of one machine fit in 63 bits; a file that claims more is clamped instead of shown with the wrong sign.
std::int64_t difference(std::uint64_t before_bytes, std::uint64_t after_bytes) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (after_bytes >= before_bytes) return static_cast<std::int64_t>(std::min(after_bytes - before_bytes, kMost));
  return -static_cast<std::int64_t>(std::min(before_bytes - after_bytes, kMost));
}

/// Returns the share with its sign, except for bounds (more or less than a number) and multiples.
std::string share_of(std::uint64_t before_bytes, std::int64_t change_bytes) {
  if (change_bytes == 0 || before_bytes == 0) return "";
  const auto size = static_cast<std::uint64_t>(change_bytes > 0 ? change_bytes : -change_bytes);
  std::string share = format_change(size, before_bytes);
  if (share.front() == '<' || share.front() == '>' || share.back() == 'x') return share;
  return (change_bytes > 0 ? "+" : "-") + share;
}

/// Before, after, change, and the change as a share.
class SidesTable {
public:
  void add_heading(const std::string& heading) { table_.add_row({heading, "before", "after", "change"}); }
  void add(std::string_view name, const Reading& reading) {
    std::vector<std::string> row{std::string(name), known_bytes(reading.before_bytes),
                                 known_bytes(reading.after_bytes)};
    if (!reading.is_known()) {
      row.emplace_back("unknown");
    } else {
      const std::int64_t change = difference(*reading.before_bytes, *reading.after_bytes);
      row.push_back(format_delta(change));
      row.push_back(share_of(*reading.before_bytes, change));
    }
    table_.add_row(std::move(row));
  }
  [[nodiscard]] std::string text() const { return table_.text(kIndent); }

private:
  TextTable table_{Align::left, Align::right, Align::right, Align::right, Align::right};
};

/// Returns the figures of the whole recordings, device by device.
void add_gauges(SidesTable& table, const Comparison& comparison) {
  for (const std::size_t index : devices_that_changed_most(comparison, kMostDevices)) {
    const DeviceReadings& readings = comparison.readings[index];
    table.add_heading(device_heading(readings));
    for (const Gauge gauge : kGauges)
      table.add(gauge_label(gauge), readings.of(gauge));
  }
}

/// Adds the totals of both sides at the compared moment, as the picture shows them, if they can be summed.
void add_totals(SidesTable& table, const Comparison& comparison) {
  if (!comparison.is_one_moment || comparison.devices.empty()) return;
  const std::string moment = common_moment(comparison);
  table.add_heading(fmt::format("{}{}", comparison.devices.size() > 1 ? "all devices, " : "",
                                moment.empty() ? "at these moments" : moment));
  table.add("reserved", {comparison.before.reserved_bytes, comparison.after.reserved_bytes});
  table.add("in use", {comparison.before.allocated_bytes, comparison.after.allocated_bytes});
  table.add("awaiting free", {comparison.before.pending_free_bytes, comparison.after.pending_free_bytes});
  table.add("free", {comparison.before.inactive_bytes, comparison.after.inactive_bytes});
}

/// Adds the kinds of memory of the totals; nothing if all is unknown.
void add_kinds(SidesTable& table, const Comparison& comparison) {
  if (!comparison.is_one_moment || comparison.kinds.empty()) return;
  table.add_heading("requested, by kind");
  for (const KindChange& change : comparison.kinds)
    table.add(kind_words(change.kind), {change.before_bytes, change.after_bytes});
}

/// Returns the kinds of devices that are each at their own moment.
std::string kinds_text(const Comparison& comparison) {
  std::string text;
  if (comparison.is_one_moment) return text;
  for (const std::size_t index : devices_that_changed_most(comparison, kMostDevices)) {
    const std::string changes = kind_changes_text(comparison.devices[index].kinds);
    const DeviceReadings& readings = comparison.readings[index];
    if (!changes.empty())
      text += wrapped_text(fmt::format("{} by kind: {}", device_heading(readings), changes), kIndent, kColumns);
  }
  return text;
}

/// Returns the facts that the tables do not show.
std::string remarks_text(const CompareReport& report) {
  const std::size_t devices = report.comparison.readings.size();
  std::string text;
  if (devices > kMostDevices)
    text += fmt::format("  and {} with smaller changes\n", format_counted(devices - kMostDevices, "more device"));
  for (const std::string& remark :
       {unknown_text(report), classified_once_text(report.comparison), script_text(report.comparison),
        match_text(report.comparison), end_text(report.comparison), environment_text(report.environment)})
    if (!remark.empty()) text += wrapped_text(remark, kIndent, kColumns);
  if (report.verdict && report.verdict->is_passed()) text += wrapped_text(passed_text(report), kIndent, kColumns);
  return text;
}

std::string changes_text(const Comparison& comparison) {
  if (comparison.changes.empty()) return "";
  TextTable table{Align::right, Align::right, Align::right, Align::left};
  const ChangeTable largest = change_table(comparison, kMostChanges);
  for (const ChangeRow& row : largest.rows) {
    const std::string label =
        row.is_within ? "  " + elided(row.label, kLabelColumns - 2) : elided(row.device + row.label, kLabelColumns);
    table.add_row({format_bytes(row.change.before.bytes), format_bytes(row.change.after.bytes),
                   format_delta(row.change.delta_bytes()), with_source(label, source_of(comparison.frames, row.key))});
  }
  const std::string moment = common_moment(comparison);
  std::string text =
      fmt::format("  largest changes{}{}, by the innermost {} of your own code\n", moment.empty() ? "" : " ", moment,
                  comparison.match == FrameMatch::line ? "line" : "function");
  return text + table.text(kIndent, largest.left_out);
}

/// The steps that changed most, in their order.
std::string steps_table(const StepComparison& steps) {
  constexpr std::size_t kMostStepRows = 16;
  std::vector<std::size_t> shown(steps.rows.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::ranges::stable_sort(shown, std::greater(), [&](std::size_t i) { return magnitude(steps.rows[i].peak_bytes()); });
  shown.resize(std::min(shown.size(), kMostStepRows));
  std::ranges::sort(shown);
  TextTable table{Align::right, Align::right, Align::right, Align::right, Align::right};
  table.add_row({"step", "peak before", "after", "change", "change of the end"});
  for (const std::size_t i : shown) {
    const StepChange& step = steps.rows[i];
    table.add_row({format_count(step.step), format_bytes(step.before.peak_bytes), format_bytes(step.after.peak_bytes),
                   format_delta(step.peak_bytes()), format_delta(step.end_bytes())});
  }
  std::string text = table.text(kIndent);
  if (shown.size() < steps.rows.size())
    text +=
        fmt::format("  and {} with smaller changes\n", format_counted(steps.rows.size() - shown.size(), "more step"));
  return text;
}

std::string steps_text(const CompareReport& report) {
  if (!report.steps) return "";
  if (report.steps->empty()) return wrapped_text("by step: no device has events on both sides", kIndent, kColumns);
  std::string text;
  for (const StepComparison& steps : *report.steps) {
    text += wrapped_text("by step: " + steps_difference_text(steps, report.steps->size() > 1), kIndent, kColumns);
    if (!steps.rows.empty()) text += steps_table(steps);
  }
  return text;
}

} // namespace

std::string compare_text(const CompareReport& report) {
  const Comparison& comparison = report.comparison;
  std::string text = fmt::format("before: {}, {}\nafter:  {}, {}\n", elided(report.before.file, kFileColumns),
                                 report.before.moment, elided(report.after.file, kFileColumns), report.after.moment);
  SidesTable table;
  add_gauges(table, comparison);
  add_totals(table, comparison);
  add_kinds(table, comparison);
  return text + table.text() + kinds_text(comparison) + changes_text(comparison) + steps_text(report) +
         remarks_text(report);
}

} // namespace memviz
