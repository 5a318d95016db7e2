#include "memviz/compare_report.hpp"

#include "base/capitalized.hpp"
#include "base/printable.hpp"
#include "base/saturating.hpp"
#include "export/text_table.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "story/compare_words.hpp"
#include "story/kind_totals.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace memviz {

namespace {

constexpr std::size_t kMostTableLines = 10;
constexpr std::size_t kMostTableDevices = 8;
constexpr std::size_t kLabelCellColumns = 120;
constexpr std::size_t kFileCellColumns = 80;
constexpr std::string_view kZeroWidthSpace = "\xE2\x80\x8B";

std::size_t longest_run(std::string_view text, char c) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char found : text) {
    run = found == c ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

/// A bar ends a cell even in a code span; a backslash before one would undo its escape.
std::string without_bars(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') {
      while (result.ends_with('\\'))
        result.pop_back();
      result += '\\';
    }
    result += c;
    // "@name" is not a mention in a code span, but bots read the plain text.
    if (c == '@') result += kZeroWidthSpace;
  }
  return result;
}

std::string change_cell(const Reading& reading) {
  if (!reading.is_known()) return "unknown";
  const std::int64_t change = reading.change_bytes();
  if (change == 0) return "no change";
  if (*reading.before_bytes == 0) return fmt::format("**{}**", format_delta(change));
  return fmt::format("**{}** ({})", format_delta(change), format_change(magnitude(change), *reading.before_bytes));
}

std::string gauges_table(const Comparison& comparison) {
  const bool names_device = comparison.readings.size() > 1;
  TextTable table{Align::left, Align::right, Align::right, Align::right};
  table.add_row({"", "before", "after", "change"});
  const std::vector<std::size_t> shown = devices_that_changed_most(comparison, kMostTableDevices);
  for (const std::size_t index : shown) {
    const DeviceReadings& device = comparison.readings[index];
    for (const Gauge gauge : kGauges) {
      const Reading& reading = device.of(gauge);
      table.add_row({fmt::format("{}{}", names_device ? device_heading(device) + ", " : "", gauge_label(gauge)),
                     known_bytes(reading.before_bytes), known_bytes(reading.after_bytes), change_cell(reading)});
    }
  }
  if (shown.size() == comparison.readings.size()) return table.markdown();
  return table.markdown() + fmt::format("\nand {} with smaller changes\n",
                                        format_counted(comparison.readings.size() - shown.size(), "more device"));
}

/// Returns the head of a table of changes.
TextTable changes_head(std::string_view name) {
  TextTable table{Align::right, Align::right, Align::right, Align::left};
  table.add_row({"change", "before", "after", std::string(name)});
  return table;
}

/// Returns growth by kind, or a line for each device that is at its own moment; "" if all is unknown.
std::string kinds_table(const Comparison& comparison) {
  const std::string moment = common_moment(comparison);
  TextTable table = changes_head("kind");
  for (const KindChange& change : comparison.kinds)
    table.add_row({format_delta(change.delta_bytes()), format_bytes(change.before_bytes),
                   format_bytes(change.after_bytes), std::string(kind_words(change.kind))});
  if (comparison.is_one_moment && !comparison.kinds.empty())
    return fmt::format("\n**By kind of memory{}{}**\n\n{}", moment.empty() ? "" : " ", moment, table.markdown());
  std::string text;
  if (comparison.is_one_moment) return text;
  for (const std::size_t index : devices_that_changed_most(comparison, kMostTableDevices)) {
    const std::string changes = kind_changes_text(comparison.devices[index].kinds);
    const DeviceReadings& device = comparison.readings[index];
    if (!changes.empty()) text += fmt::format("\n{} by kind: {}\n", device_heading(device), changes);
  }
  return text;
}

/// Returns the lines that grew, or those that shrank; "" if there are none.
std::string lines_table(const Comparison& comparison, bool grown) {
  const ChangeTable largest = change_table(comparison, kMostTableLines, grown);
  if (largest.rows.empty()) return "";
  TextTable table = changes_head("where");
  for (const ChangeRow& row : largest.rows) {
    const std::string where = row.is_within ? "↳ " + code_span(row.label, kLabelCellColumns)
                                            : code_span(row.device + row.label, kLabelCellColumns);
    table.add_row({format_delta(row.change.delta_bytes()), format_bytes(row.change.before.bytes),
                   format_bytes(row.change.after.bytes), where});
  }
  const std::string moment = common_moment(comparison);
  std::string text =
      fmt::format("\n**{} most{}{}**, by the innermost {} of your own code\n\n", grown ? "Grew" : "Shrank",
                  moment.empty() ? "" : " ", moment, comparison.match == FrameMatch::line ? "line" : "function");
  text += table.markdown();
  if (largest.left_out > 0) text += fmt::format("\nand {}\n", format_counted(largest.left_out, "more line"));
  return text;
}

/// Returns the figure that grew most, for users who set no limit.
std::string summary(const Comparison& comparison) {
  const GaugeGrowth* most = nullptr;
  const GateVerdict growths = verdict_on(comparison.readings, limits_on(kGauges, {}));
  if (!growths.exceeded.empty()) most = &growths.exceeded.front();
  if (most == nullptr) return "**Memory did not grow**";
  return fmt::format("**Memory grew** by up to {}", format_bytes(most->bytes()));
}

std::string verdict_line(const CompareReport& report) {
  const std::string sides = fmt::format("{} → {}", code_span(report.before.file, kFileCellColumns),
                                        code_span(report.after.file, kFileCellColumns));
  if (!report.verdict) return fmt::format("{}: {}\n", summary(report.comparison), sides);
  if (report.verdict->is_passed()) return fmt::format("**Memory: within the limit**: {}\n", sides);
  return fmt::format("**Memory: more than the limit allows**: {}\n", sides);
}

} // namespace

std::string code_span(std::string_view text, std::size_t columns) {
  const std::string content = without_bars(elided(printable(text), columns));
  if (content.empty()) return "` `";
  const std::string fence(longest_run(content, '`') + 1, '`');
  const std::string_view pad = content.front() == '`' || content.back() == '`' ? " " : "";
  return fmt::format("{0}{1}{2}{1}{0}", fence, pad, content);
}

std::string compare_markdown(const CompareReport& report) {
  std::string text = verdict_line(report);
  const Quote quote = [](const std::string& name) { return code_span(name, kLabelCellColumns); };
  if (report.verdict)
    text += fmt::format("\n{}.\n", capitalized(exceeded_text(report, quote).value_or(passed_text(report))));
  text += '\n' + gauges_table(report.comparison);
  text += kinds_table(report.comparison);
  text += lines_table(report.comparison, true) + lines_table(report.comparison, false);
  for (std::string remark : {unknown_text(report, quote), script_text(report.comparison), match_text(report.comparison),
                             end_text(report.comparison), environment_text(report.environment, quote)})
    if (!remark.empty()) text += fmt::format("\n{}.\n", capitalized(std::move(remark)));
  return text;
}

} // namespace memviz
