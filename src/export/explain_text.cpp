#include "base/first_of.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/holders_text.hpp"
#include "export/keepers_text.hpp"
#include "export/stack_lines.hpp"
#include "export/text_table.hpp"
#include "memviz/explain.hpp"
#include "memviz/explain_report.hpp"
#include "memviz/export.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/warnings.hpp"
#include "story/cause_words.hpp"
#include "story/explain_answers.hpp"
#include "story/explain_words.hpp"
#include "story/moment_words.hpp"

#include <fmt/format.h>

namespace memviz {

namespace {

constexpr std::size_t kMostLines = 6;
constexpr std::size_t kMostBriefLines = 3;

std::string totals(const DeviceExplanation& device) {
  const MemoryLedger& ledger = device.ledger;
  if (ledger.reserved_bytes == 0 && !ledger.device_free_bytes) return "";
  TextTable table{Align::left, Align::right, Align::right, Align::right};
  for (const LedgerPart& part : ledger_parts(ledger)) {
    if (part.bytes == 0 && part.is_optional) continue;
    table.add_row({(part.is_inside ? "  " : "") + std::string(part.name), format_bytes(part.bytes),
                   format_count(part.bytes) + " B",
                   part.is_inside ? format_percent(part.bytes, ledger.reserved_bytes) : ""});
  }
  return "\nWhere the memory was\n" + table.text("  ");
}

std::string lines_table(const FrameTable& frames, const HolderTable& table) {
  return holders_text(frames, table, {.name_columns = kNameColumns});
}

std::string users_table(const FrameTable& frames, const DeviceExplanation& device, std::size_t most,
                        std::size_t columns) {
  return holders_text(frames,
                      holder_table(device.users, device.device_state.figures.requested_bytes, {}, {.most = most}),
                      {.name_columns = kNameColumns, .callers = &device.callers, .columns = columns});
}

std::string pins(const FrameTable& frames, const Pins& found, std::size_t columns) {
  std::string text = "\nWhat pins mostly empty segments\n";
  text += wrapped_text(pinning_text(found), "  ", columns);
  TextTable table{Align::right, Align::right, Align::right, Align::left};
  table.add_row({"holds free", "itself", "segments", "line"});
  const auto shown = first_of(found.lines, kMostLines);
  for (const PinningLine& line : shown)
    table.add_row({format_bytes(line.held_bytes), format_bytes(line.active.bytes), format_count(line.segments),
                   line_text(frames, line.key, kNameColumns)});
  return text + table.text("  ", found.lines.size() - shown.size());
}

std::string growth(const FrameTable& frames, const DeviceExplanation& device, std::size_t columns) {
  const Growth& grown = device.growth;
  if (grown.lines.empty() && grown.reserving.empty()) return "";
  std::string text = "\nWhat grew last\n";
  // Growth from nothing would repeat the list of users.
  if (grown.low_bytes > 0 && !grown.lines.empty()) {
    text += wrapped_text(grown_text(grown), "  ", columns);
    text += lines_table(frames, holder_table(grown.lines, grown.live_bytes, {}, {.most = kMostLines}));
  }
  if (grown.reserving.empty()) return grown.low_bytes > 0 ? text : "";
  text += wrapped_text(reserved_text(device), "  ", columns);
  return text + lines_table(frames, holder_table(grown.reserving, grown.reserved_bytes, {.noun = "segment"},
                                                 {.most = kMostLines}));
}

/// Returns the whole answer for a device; `has_others`: whether others follow.
std::string device_text(const MemoryState& state, const DeviceExplanation& device, bool has_others,
                        std::size_t columns) {
  const ExplanationText words = in_words(state, device);
  std::string text = "\n" + wrapped_text(words.headline, "", columns);
  if (device.request) text += '\n' + wrapped_text(words.verdict, "", columns);
  if (device.request && !device.users.empty())
    text += '\n' + users_table(state.frames(), device, kMostBriefLines, columns);
  text += wrapped_list("", words.keepers, "", columns);
  text += wrapped_list("What would help", words.helps, "  - ", columns);
  text += "\nWhy\n";
  if (!device.request) text += wrapped_text(words.verdict, "  ", columns);
  for (const std::string& reason : has_others ? reasons_beside_devices(words) : words.reasons)
    text += wrapped_text(reason, "  ", columns);
  if (const std::string others = other_moments_text("explain", device.device_state); !others.empty())
    text += wrapped_text(others + ".", "  ", columns);
  text += totals(device);
  if (!device.users.empty())
    text += "\nWho holds it, by the innermost line of your own code\n" +
            users_table(state.frames(), device, kMostLines, columns);
  if (device.keepers)
    if (const std::string paths = keeper_paths_text(state.frames(), *device.keepers); !paths.empty())
      text += "\nWho keeps it\n" + paths;
  if (device.pins.held_bytes > device.ledger.reserved_bytes / 100) text += pins(state.frames(), device.pins, columns);
  text += growth(state.frames(), device, columns);
  text += wrapped_list(device.request ? "What would not have helped, or is unknown"
                                      : "What would hardly help, or is unknown",
                       words.does_not_help, "  - ", columns);
  // Says how far the replays can be trusted.
  const bool has_fidelity = words.answers.size() > device.what_ifs.size();
  return has_fidelity ? text + '\n' + wrapped_text(words.answers.back(), "", columns) : text;
}

/// "  GPU 0 at the peak, event 6,278 of 6,445: 7.88 GiB of 7.96 GiB reserved is in use (--device 0)."
std::string other_device(const MemoryState& state, const DeviceExplanation& device, std::size_t columns) {
  std::string headline = in_words(state, device).headline;
  if (headline.ends_with('.')) headline.pop_back();
  return wrapped_text(fmt::format("{} (--device {}).", headline, device_word(device.device_state.device)), "  ",
                      columns);
}

std::string device_brief(const MemoryState& state, const DeviceExplanation& device, std::size_t columns) {
  const ExplanationText words = in_words(state, device);
  std::string text = wrapped_text(words.headline, "", columns);
  for (const std::string& sentence : words.advice)
    text += wrapped_text(sentence, "Advice: ", columns);
  text += wrapped_text(words.verdict, "", columns);
  for (const std::string& sentence : words.keepers)
    text += wrapped_text(sentence, "", columns);
  for (const std::string& reason : words.reasons)
    text += wrapped_text(reason, "", columns);
  if (device.users.empty()) return text;
  return text + "Who holds it, by the innermost line of your own code:\n" +
         users_table(state.frames(), device, kMostBriefLines, columns);
}

} // namespace

std::string explain_brief(const ExplainReport& report, std::size_t columns) {
  if (report.devices.empty()) return std::string(kNoMemory) + '\n';
  std::string text;
  std::size_t shown = 0;
  const std::vector<const DeviceExplanation*> devices = shown_devices(report.devices);
  for (const DeviceExplanation* device : devices) {
    if (!device->request && shown > 0) break; // those that failed come first
    text += device_brief(report.state, *device, columns);
    ++shown;
  }
  if (const std::size_t more = devices.size() - shown; more > 0) text += not_shown_text(more) + '\n';
  return text;
}

std::string explain_text(const ExplainReport& report, std::size_t columns) {
  std::string text = printable(report.file) + '\n';
  if (report.devices.empty()) text += fmt::format("\n{}\n", kNoMemory);
  const std::vector<const DeviceExplanation*> devices = shown_devices(report.devices);
  std::string others;
  for (const DeviceExplanation* device : devices) {
    if (device == devices.front() || device->request)
      text += device_text(report.state, *device, devices.size() > 1, columns);
    else
      others += other_device(report.state, *device, columns);
  }
  if (!others.empty()) text += "\nOther devices\n" + others;
  if (const std::string unused = unused_text(report.devices); !unused.empty())
    text += '\n' + wrapped_text(unused, "", columns);
  for (const std::string& warning : warnings_and_losses(report.state))
    text += '\n' + wrapped_text(warning, "Warning: ", columns);
  return text;
}

} // namespace memviz
