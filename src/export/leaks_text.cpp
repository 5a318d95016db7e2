#include "analysis/tree/text_facts.hpp"
#include "base/hash_map.hpp"
#include "base/printable.hpp"
#include "export/stack_lines.hpp"
#include "export/text_table.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/leaks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

namespace memviz {

namespace {

constexpr std::size_t kMostRows = 10;
constexpr std::size_t kMostFrames = 12;
constexpr std::size_t kLeakLineColumns = 48;

std::string per_step(double bytes) {
  return format_delta(std::llround(bytes));
}

/// "▁▃▅▇": lowest to highest, at most 40 columns; each shows the lowest of the steps that it stands for.
std::string sparkline(const std::vector<std::uint64_t>& bytes) {
  static constexpr std::array<std::string_view, 8> kBars{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr std::size_t kSparklineColumns = 40;
  const auto [low, high] = std::minmax_element(bytes.begin(), bytes.end());
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

std::string source_text(const Steps& steps) {
  switch (steps.source) {
  case StepSource::annotation: return fmt::format("one at each annotation '{}'", elided(steps.name, kLeakLineColumns));
  case StepSource::repetition:
    return fmt::format("found by {} that {} once in each", format_counted(steps.anchors, "stack"),
                       steps.anchors == 1 ? "allocates" : "allocate");
  case StepSource::events:
  case StepSource::time: return "as given";
  case StepSource::none: break;
  }
  return "none found";
}

std::string range_text(std::uint64_t from_bytes, std::uint64_t to_bytes) {
  return format_bytes(from_bytes) + " -> " + format_bytes(to_bytes);
}

std::string range_and_change(const std::vector<std::uint64_t>& bytes) {
  const auto change = static_cast<std::int64_t>(bytes.back()) - static_cast<std::int64_t>(bytes.front());
  return fmt::format("{:<24} {:>11}", range_text(bytes.front(), bytes.back()), "(" + format_delta(change) + ")");
}

constexpr std::string_view kSayWhere = "--steps annotation:NAME, --steps events:N or --steps time:US";

/// What was looked at, and the memory as a whole.
std::string overview(const DeviceLeaks& leaks) {
  const Steps& steps = leaks.steps;
  const std::uint64_t events = leaks.events - steps.starts.front();
  std::string text =
      fmt::format("\n  {}, {}; {} from event {} on, about {} a step\n", format_counted(steps.starts.size(), "step"),
                  source_text(steps), format_counted(events, "event"), format_count(steps.starts.front()),
                  format_count(events / steps.starts.size()));
  if (steps.is_guess())
    text += fmt::format(
        "  These steps are a guess: the layers of one pass repeat, too. Say where steps begin with\n  {}\n", kSayWhere);
  if (steps.left_out > 0)
    text += fmt::format("  {} before these are left out\n", format_counted(steps.left_out, "step"));
  const auto row = [&](std::string_view name, const std::vector<std::uint64_t>& bytes) {
    text +=
        fmt::format("  {:<7} of live bytes in each step: {}  {}\n", name, range_and_change(bytes), sparkline(bytes));
  };
  row("lowest", leaks.floor_bytes);
  row("highest", leaks.peak_bytes);
  return text;
}

/// The text of each device; what stacks are called is made once for all.
class LeaksText {
public:
  explicit LeaksText(const MemoryState& state)
      : state_(state), frames_(state.frames()), lines_(state.frames()), origins_(state.frames(), origin_of) {}

  [[nodiscard]] std::string section(const DeviceLeaks& leaks);

private:
  [[nodiscard]] std::string line_of(const StackGrowth& growth);
  [[nodiscard]] const std::string& stack_text(StackId stack);
  [[nodiscard]] std::string growth_table(std::span<const StackGrowth> growths);
  [[nodiscard]] std::string growing(const DeviceLeaks& leaks);
  [[nodiscard]] std::string doubtful(const DeviceLeaks& leaks);
  [[nodiscard]] std::string late_frees(const DeviceLeaks& leaks);
  [[nodiscard]] std::string stopped(const DeviceLeaks& leaks);

  const MemoryState& state_;
  const FrameTable& frames_;
  StackLines lines_;
  TextFacts<CodeOrigin> origins_;
  HashMap<std::uint32_t, std::string> stack_texts_;
};

std::string LeaksText::line_of(const StackGrowth& growth) {
  if (!frames_.stack(growth.stack).empty()) return elided(lines_.line(growth.stack), kLeakLineColumns);
  return fmt::format("{}, of {} each", pseudo_label(Pseudo::without_stack), format_bytes(growth.size_bytes));
}

/// The Python frames, innermost first; of a stack without any, the C++ ones.
const std::string& LeaksText::stack_text(StackId stack) {
  const auto [text, is_new] = stack_texts_.add(stack.value);
  if (!is_new) return text;
  const auto all = frames_.stack(stack);
  const auto is_python = [&](FrameId frame) { return origins_.of(frames_.frame(frame).filename) != CodeOrigin::cpp; };
  const bool has_python = std::any_of(all.begin(), all.end(), is_python);
  std::size_t shown = 0;
  for (const FrameId frame : all) {
    if (has_python ? !is_python(frame) : is_omitted(frames_.name(frame), frames_.filename(frame))) continue;
    if (shown++ == kMostFrames) break;
    text += fmt::format("      {}\n", elided(node_label(frames_, frame), 90));
  }
  if (shown > kMostFrames) text += "      ...\n";
  return text;
}

std::string rest_text(std::size_t rows) {
  return rows > kMostRows ? fmt::format("    and {} more\n", format_count(rows - kMostRows)) : "";
}

/// Why it is said to grow.
std::string evidence(const StackGrowth& growth) {
  const Trend& trend = growth.trend;
  std::string text = fmt::format("{} {} of {}", growth.sign == GrowthSign::floor ? "rose in" : "left some in",
                                 growth.seen_steps, format_counted(growth.of_steps, "step"));
  if (trend.first_step > 0) text += fmt::format(", from step {} on", trend.first_step + 1);
  return text;
}

std::string LeaksText::growth_table(std::span<const StackGrowth> growths) {
  TextTable table{Align::right, Align::left, Align::right, Align::left, Align::left};
  table.add_row({"a step", "confidence, and why", "blocks", "lowest, first -> last step", "line"});
  for (const StackGrowth& growth : growths.first(std::min(growths.size(), kMostRows))) {
    table.add_row({per_step(growth.trend.bytes_per_step),
                   fmt::format("{}: {}", confidence_word(growth.trend.confidence), evidence(growth)),
                   format_count(growth.end_blocks), range_text(growth.first_bytes, growth.last_bytes),
                   line_of(growth)});
  }
  return table.text("    ") + rest_text(growths.size());
}

std::string capacity(const DeviceLeaks& leaks) {
  if (!leaks.capacity_bytes)
    return "    how many steps are left is unknown: the file does not tell how much there is (--capacity SIZE)\n";
  const std::string source =
      leaks.capacity_source == CapacitySource::given ? "as given" : "reserved and free when it ran out of memory";
  const auto left = leaks.steps_left();
  return fmt::format("    {} for PyTorch ({}): {}\n", format_bytes(*leaks.capacity_bytes), source,
                     !left        ? "the steps are too few to say when it is full"
                     : *left == 0 ? "full now"
                                  : "full in about " + format_counted(*left, "step"));
}

std::string_view judgement(const DeviceLeaks& leaks) {
  if (!leaks.is_sure()) return "Perhaps a leak, too little to tell";
  if (leaks.steps.is_guess()) return "A leak, if these are steps";
  const bool is_high = std::any_of(leaks.grows.begin(), leaks.grows.end(), [](const StackGrowth& growth) {
    return growth.trend.confidence == Confidence::high;
  });
  return is_high ? "A leak" : "Probably a leak";
}

std::string LeaksText::growing(const DeviceLeaks& leaks) {
  if (leaks.grows.empty()) return "";
  const auto all = std::span(leaks.grows);
  const auto first_low = std::find_if(all.begin(), all.end(),
                                      [](const auto& growth) { return growth.trend.confidence == Confidence::low; });
  const auto sure = leaks.is_sure() ? static_cast<std::size_t>(first_low - all.begin()) : all.size();
  std::string text = fmt::format("  {}: {} from step to step: {} a step\n", judgement(leaks),
                                 format_counted(sure, "stack grows", "stacks grow"),
                                 per_step(static_cast<double>(leaks.bytes_per_step())));
  text += capacity(leaks) + growth_table(all.first(sure));
  const std::string& stack = stack_text(leaks.grows.front().stack);
  if (!stack.empty()) text += "    the first, innermost call first:\n" + stack;
  if (sure < all.size())
    text += fmt::format("\n  Perhaps {}, too little to tell\n",
                        format_counted(all.size() - sure, "stack grows, too", "stacks grow, too")) +
            growth_table(all.subspan(sure));
  return text;
}

std::string_view doubt_text(Doubt doubt) {
  switch (doubt) {
  case Doubt::none: break;
  case Doubt::one_pass:
    return "\n  These grow together, as what the layers of one forward or backward pass keep\n"
           "  does. If the steps are steps of training, say so with --steps, and this is a leak\n";
  case Doubt::loading:
    return "\n  Next to nothing is freed in these steps, as when a model is loaded. If they are steps of\n"
           "  training, say so with --steps, and this is a leak\n";
  case Doubt::offset:
    return "\n  These grow while as much is freed elsewhere, as when a backward pass turns activations\n"
           "  into gradients: live bytes as a whole do not grow with them\n";
  }
  return "";
}

std::string LeaksText::doubtful(const DeviceLeaks& leaks) {
  if (leaks.doubt == Doubt::none) return "";
  return std::string(doubt_text(leaks.doubt)) + growth_table(leaks.doubtful);
}

std::string LeaksText::late_frees(const DeviceLeaks& leaks) {
  if (leaks.late_frees.empty()) return "";
  std::string text = "\n  Freed late, not leaked: grows for several steps, then falls at once, as when the garbage\n"
                     "  collector has to find reference cycles\n";
  TextTable table{Align::right, Align::right, Align::right, Align::left, Align::left};
  table.add_row({"highest", "rises", "falls", "most freed at once", "line"});
  for (std::size_t i = 0; i < std::min(leaks.late_frees.size(), kMostRows); ++i) {
    const StackGrowth& growth = leaks.late_frees[i];
    table.add_row({format_bytes(*std::max_element(growth.floor_bytes.begin(), growth.floor_bytes.end())),
                   format_count(growth.trend.rises), format_count(growth.trend.falls),
                   fmt::format("{}, {}, step {}", format_bytes(growth.burst.bytes),
                               format_counted(growth.burst.blocks, "block"), growth.burst.step + 1),
                   line_of(growth)});
  }
  text += table.text("    ") + rest_text(leaks.late_frees.size());
  const StackGrowth& first = leaks.late_frees.front();
  if (!frames_.stack(first.burst.stack).empty() && first.burst.stack != first.stack)
    text += fmt::format("    the first is freed by {}\n", elided(lines_.line(first.burst.stack), kLeakLineColumns));
  return text;
}

std::string LeaksText::stopped(const DeviceLeaks& leaks) {
  if (leaks.stopped.empty()) return "";
  std::string text = "\n  Grew and stopped, or all but: what is filled once, as a cache is\n";
  TextTable table{Align::right, Align::left, Align::left};
  table.add_row({"last rise", "lowest, first -> last step", "line"});
  for (std::size_t i = 0; i < std::min(leaks.stopped.size(), kMostRows); ++i) {
    const StackGrowth& growth = leaks.stopped[i];
    table.add_row({fmt::format("step {}", growth.trend.last_rise + 1),
                   range_text(growth.first_bytes, growth.last_bytes), line_of(growth)});
  }
  return text + table.text("    ") + rest_text(leaks.stopped.size());
}

std::string verdict(const DeviceLeaks& leaks) {
  if (!leaks.grows.empty()) return "";
  std::string text = fmt::format(
      "  {}: {} looked at in {}\n", leaks.doubt == Doubt::none ? "Nothing grows from step to step" : "No leak found",
      format_counted(leaks.stacks, "stack"), format_counted(leaks.steps.starts.size(), "step"));
  const auto growth =
      static_cast<std::int64_t>(leaks.floor_bytes.back()) - static_cast<std::int64_t>(leaks.floor_bytes.front());
  if (growth > 0 && leaks.doubt == Doubt::none)
    text += fmt::format("  (the {} between the first step and the last were allocated once, or came and went)\n",
                        format_bytes(static_cast<std::uint64_t>(growth)));
  return text;
}

std::string LeaksText::section(const DeviceLeaks& leaks) {
  std::string text = '\n' + device_name(leaks.device, state_.recording->origin.is_cpu) + '\n';
  if (!leaks.steps.note.empty()) {
    return text + fmt::format("  {}; no verdict:\n  {}.\n  Record more steps, or say where they begin: {}\n",
                              format_counted(leaks.events, "event"), leaks.steps.note, kSayWhere);
  }
  return text + verdict(leaks) + growing(leaks) + overview(leaks) + doubtful(leaks) + late_frees(leaks) +
         stopped(leaks);
}

} // namespace

std::string leaks_text(const std::string& file, const MemoryState& state, const std::vector<DeviceLeaks>& devices) {
  std::string text = printable(file) + '\n';
  if (devices.empty())
    text +=
        "\nNo events on any device: leaks are seen in a recording with torch.cuda.memory._record_memory_history().\n";
  LeaksText sections(state);
  for (const DeviceLeaks& leaks : devices)
    text += sections.section(leaks);
  return text;
}

} // namespace memviz
