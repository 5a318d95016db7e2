#include "analysis/calls/call_lines.hpp"
#include "analysis/tree/text_facts.hpp"
#include "base/first_of.hpp"
#include "base/hash_map.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/stack_lines.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "memviz/leaks.hpp"
#include "memviz/leaks_report.hpp"
#include "story/explain_words.hpp"
#include "story/keeper_words.hpp"
#include "story/kind_totals.hpp"
#include "story/leaks_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace memviz {

namespace {

constexpr std::size_t kMostRows = 10;
constexpr std::size_t kMostFrames = 12;
constexpr std::size_t kParagraphColumns = 92;
constexpr std::size_t kLeakCallerColumns = 80; ///< of a line with its callers

std::string per_step(double bytes) {
  return format_delta(std::llround(bytes));
}

/// "▁▃▅▇": lowest to highest, at most 40 columns; each shows the lowest of its steps.
std::string sparkline(const std::vector<std::uint64_t>& bytes) {
  static constexpr std::array<std::string_view, 8> kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t kSparklineColumns = 40;
  const auto [low, high] = std::ranges::minmax_element(bytes);
  const std::size_t columns = std::min(kSparklineColumns, bytes.size());
  std::string text;
  for (std::size_t column = 0; column < columns; ++column) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(column * bytes.size() / columns);
    const auto end = bytes.begin() + static_cast<std::ptrdiff_t>((column + 1) * bytes.size() / columns);
    const double share =
        *high == *low ? 0
                      : static_cast<double>(*std::min_element(begin, end) - *low) / static_cast<double>(*high - *low);
    text += kBars[static_cast<std::size_t>(std::lround(share * static_cast<double>(kBars.size() - 1)))];
  }
  return text;
}

std::string paragraph(const std::string& sentences) {
  return wrapped_text(sentences, "  ", kParagraphColumns);
}

std::string range_text(std::uint64_t from_bytes, std::uint64_t to_bytes) {
  return format_bytes(from_bytes) + " -> " + format_bytes(to_bytes);
}

std::string range_and_change(const std::vector<std::uint64_t>& bytes) {
  const auto change = static_cast<std::int64_t>(bytes.back()) - static_cast<std::int64_t>(bytes.front());
  return fmt::format("{:<24} {:>11}", range_text(bytes.front(), bytes.back()), "(" + format_delta(change) + ")");
}

/// Returns how the steps were found, and the memory as a whole.
std::string overview(const DeviceLeaks& leaks, const LeaksWords& words) {
  std::string text = fmt::format("\n  {}\n", words.steps);
  for (const std::string& note : words.step_notes)
    text += paragraph(note);
  const auto row = [&](std::string_view name, const std::vector<std::uint64_t>& bytes) {
    text +=
        fmt::format("  {:<7} of live bytes in each step: {}  {}\n", name, range_and_change(bytes), sparkline(bytes));
  };
  row("lowest", leaks.floor_bytes);
  row("highest", leaks.peak_bytes);
  return text;
}

/// Builds the text of each device; the names of stacks are made once for all.
class LeaksText {
public:
  explicit LeaksText(const MemoryState& state)
      : state_(state), frames_(state.frames()), lines_(state.frames()), origins_(state.frames(), origin_of),
        calls_(state.frames()), kinds_(kinds_by_stack(state)) {}

  [[nodiscard]] std::string section(const DeviceLeaks& leaks);

private:
  [[nodiscard]] std::string line_of(const StackGrowth& growth);
  [[nodiscard]] std::string kind_text(DeviceId device, StackId stack) const;
  [[nodiscard]] const std::string& stack_text(StackId stack);
  [[nodiscard]] bool is_too_little(const StackGrowth& growth, std::span<const StackGrowth> growths);
  [[nodiscard]] std::string growth_table(const DeviceLeaks& leaks, std::span<const StackGrowth> growths);
  [[nodiscard]] std::string growing(const DeviceLeaks& leaks, const LeaksWords& words);
  [[nodiscard]] std::string late_frees(const DeviceLeaks& leaks);
  [[nodiscard]] std::string rise_table(const std::vector<StackGrowth>& growths);

  const MemoryState& state_;
  const FrameTable& frames_;
  StackLines lines_;
  TextFacts<CodeOrigin> origins_;
  CallLineFinder calls_;
  HashMap<std::uint32_t, std::string> stack_texts_;
  std::map<std::pair<DeviceId, StackId>, MemoryKind> kinds_;
};

std::string LeaksText::line_of(const StackGrowth& growth) {
  if (!frames_.stack(growth.stack).empty()) {
    const NodeKey line = lines_.finder().line_of(growth.stack);
    std::string text = with_source(elided(lines_.line(growth.stack), kLeakLineColumns), source_of(frames_, line));
    return with_callers(std::move(text), callers_of(frames_, calls_, growth.stack), kLeakCallerColumns);
  }
  return fmt::format("{}, of {} each", pseudo_label(Pseudo::without_stack), format_bytes(growth.size_bytes));
}

/// Returns the Python frames, innermost first; for a stack without any, the C++ ones.
const std::string& LeaksText::stack_text(StackId stack) {
  const auto [text, is_new] = stack_texts_.add(stack.value);
  if (!is_new) return text;
  const auto all = frames_.stack(stack);
  const auto is_python = [&](FrameId frame) { return origins_.of(frames_.frame(frame).filename) != CodeOrigin::cpp; };
  const bool has_python = std::ranges::any_of(all, is_python);
  std::size_t shown = 0;
  for (const FrameId frame : all) {
    if (has_python ? !is_python(frame) : is_omitted(frames_.name(frame), frames_.filename(frame))) continue;
    if (shown++ == kMostFrames) break;
    text += fmt::format("      {}\n", line_text(frames_, frame, 90));
  }
  if (shown > kMostFrames) text += "      ...\n";
  return text;
}

std::string text_of(const TextTable& table, std::span<const StackGrowth> growths) {
  return table.text("    ", growths.size() - first_of(growths, kMostRows).size());
}

/// Returns the kind of the memory that a line holds at the end of the recording, if a rule covers it: " (gradients)".
std::string LeaksText::kind_text(DeviceId device, StackId stack) const {
  const auto found = kinds_.find({device, stack});
  return found == kinds_.end() ? "" : fmt::format(" ({})", kind_words(found->second));
}

/// Whether the user's line is not enough to identify the stack: it belongs to another stack as well, or has more than
/// half.
bool LeaksText::is_too_little(const StackGrowth& growth, std::span<const StackGrowth> growths) {
  double all_bytes = 0;
  std::size_t same = 0;
  for (const StackGrowth& other : growths) {
    all_bytes += other.trend.bytes_per_step;
    if (lines_.finder().line_of(other.stack) == lines_.finder().line_of(growth.stack)) ++same;
  }
  return same > 1 || growth.trend.bytes_per_step > all_bytes / 2;
}

std::string LeaksText::growth_table(const DeviceLeaks& leaks, std::span<const StackGrowth> growths) {
  TextTable table{Align::right, Align::left, Align::right, Align::left, Align::left};
  table.add_row({"a step", "confidence, and why", "blocks", "lowest, first -> last step", "line"});
  for (const StackGrowth& growth : first_of(growths, kMostRows)) {
    table.add_row({per_step(growth.trend.bytes_per_step), confidence_text(growth), format_count(growth.end_blocks),
                   range_text(growth.first_bytes, growth.last_bytes),
                   line_of(growth) + kind_text(leaks.device, growth.stack)});
    if (is_too_little(growth, growths))
      if (const auto inner = lines_.finder().inner_line_of(growth.stack))
        table.add_row({"", "", "", "", inner_line_text(frames_, *inner, kLeakLineColumns)});
    if (const auto keeper = leaks.keepers.find(growth.stack); keeper != leaks.keepers.end())
      if (const std::string text = stack_keeper_text(frames_, keeper->second); !text.empty())
        table.add_row({"", "", "", "", "  " + elided(text, kLeakCallerColumns)});
  }
  return text_of(table, growths);
}

std::string LeaksText::growing(const DeviceLeaks& leaks, const LeaksWords& words) {
  if (leaks.grows.empty()) return "";
  const auto all = std::span(leaks.grows);
  const std::size_t judged = leaks.judged_stacks();
  std::string text = fmt::format("    {}\n", words.room) + growth_table(leaks, all.first(judged));
  const std::string& stack = stack_text(leaks.grows.front().stack);
  if (!stack.empty()) text += "    the first, innermost call first:\n" + stack;
  if (!words.perhaps.empty()) text += '\n' + paragraph(words.perhaps) + growth_table(leaks, all.subspan(judged));
  return text;
}

std::string LeaksText::late_frees(const DeviceLeaks& leaks) {
  TextTable table{Align::right, Align::right, Align::right, Align::left, Align::left};
  table.add_row({"highest", "rises", "falls", "most freed at once", "line"});
  for (const StackGrowth& growth : first_of(leaks.late_frees, kMostRows)) {
    table.add_row({format_bytes(*std::ranges::max_element(growth.floor_bytes)), format_count(growth.trend.rises),
                   format_count(growth.trend.falls), burst_text(growth.burst), line_of(growth)});
  }
  std::string text = text_of(table, leaks.late_frees);
  const StackGrowth& first = leaks.late_frees.front();
  if (!frames_.stack(first.burst.stack).empty() && first.burst.stack != first.stack)
    text += fmt::format("    the first is freed by {}\n", elided(lines_.line(first.burst.stack), kLeakLineColumns));
  return text;
}

std::string LeaksText::rise_table(const std::vector<StackGrowth>& growths) {
  TextTable table{Align::right, Align::left, Align::left};
  table.add_row({"last rise", "lowest, first -> last step", "line"});
  for (const StackGrowth& growth : first_of(growths, kMostRows)) {
    table.add_row({fmt::format("step {}", growth.trend.last_rise + 1),
                   range_text(growth.first_bytes, growth.last_bytes), line_of(growth)});
  }
  return text_of(table, growths);
}

std::string LeaksText::section(const DeviceLeaks& leaks) {
  const LeaksWords words = leaks_words(*state_.recording, leaks);
  std::string text =
      fmt::format("\n{}\n", device_heading(leaks.device, state_.recording->origin.kind_of(leaks.device)));
  for (const std::string& kept : words.kept)
    text += paragraph(kept);
  text += fmt::format("  {}\n", words.verdict);
  for (const std::string& reason : words.reasons)
    text += fmt::format("  {}\n", reason);
  if (!leaks.has_enough_steps()) return text;
  text += growing(leaks, words) + overview(leaks, words);
  if (!words.doubt.empty()) text += '\n' + paragraph(words.doubt) + growth_table(leaks, leaks.doubtful);
  if (!words.late_frees.empty()) text += '\n' + paragraph(words.late_frees) + late_frees(leaks);
  if (!words.replaced.empty()) text += '\n' + paragraph(words.replaced) + rise_table(leaks.replaced);
  if (!words.stopped.empty()) text += '\n' + paragraph(words.stopped) + rise_table(leaks.stopped);
  return text;
}

} // namespace

std::string leaks_text(const std::string& file, const MemoryState& state, const std::vector<DeviceLeaks>& devices) {
  std::string text = printable(file) + '\n';
  if (devices.empty()) text += fmt::format("\n{}\n", no_events_text("find leaks"));
  LeaksText sections(state);
  for (const DeviceState* device : failed_first(state.devices))
    if (const auto leaks = std::ranges::find(devices, device->device, &DeviceLeaks::device); leaks != devices.end())
      text += sections.section(*leaks);
  return text;
}

} // namespace memviz
