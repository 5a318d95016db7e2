#include "base/printable.hpp"
#include "export/device_text.hpp"
#include "export/kinds_text.hpp"
#include "export/segment_map.hpp"
#include "export/text_table.hpp"
#include "memviz/export.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/warnings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kMostUsers = 10;
constexpr std::size_t kMostSettings = 40;
constexpr std::size_t kStatsLineColumns = 100;

std::string largest_users(const MemoryState& state, std::optional<DeviceId> device) {
  // At different moments their sum was never held at once.
  const DeviceState* const leading = leading_device(state.devices_of(device));
  const auto users = rank_user_lines(state, leading == nullptr ? device : leading->device);
  if (users.empty()) return "";
  std::uint64_t total_bytes = 0;
  for (const UserLine& user : users)
    total_bytes += user.amount.bytes;

  TextTable table{Align::right, Align::right, Align::right, Align::left};
  table.add_row({"requested", "share", "blocks", "line"});
  const std::size_t shown = std::min(users.size(), kMostUsers);
  constexpr std::size_t kNumberColumns = 36;
  for (std::size_t i = 0; i < shown; ++i) {
    const UserLine& user = users[i];
    table.add_row({format_bytes(user.amount.bytes), format_percent(user.amount.bytes, total_bytes),
                   format_count(user.amount.blocks),
                   elided(node_label(state.frames(), user.key), kStatsLineColumns - kNumberColumns)});
  }
  std::string text =
      fmt::format("\nLargest users{}, by the innermost line of your own code\n",
                  leading == nullptr ? "" : " of " + device_name(leading->device, state.recording->origin.is_cpu)) +
      table.text("  ");
  if (users.size() > shown) text += fmt::format("  and {} more\n", format_count(users.size() - shown));
  return text;
}

std::string settings(const MemoryState& state) {
  if (state.recording->settings.empty()) return "";
  TextTable table{Align::left, Align::left};
  const std::size_t shown = std::min(state.recording->settings.size(), kMostSettings);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [name, value] = state.recording->settings[i];
    table.add_row({elided(state.frames().text(name), 48), elided(state.frames().text(value), 48)});
  }
  std::string text = "\nAllocator settings\n" + table.text("  ");
  if (state.recording->settings.size() > shown)
    text += fmt::format("  and {} more\n", format_count(state.recording->settings.size() - shown));
  return text;
}

std::string header(const std::string& file, const MemoryState& state) {
  std::string text = printable(file) + '\n';
  if (!state.recording->origin.generation.empty()) text += printable(state.recording->origin.generation) + ", ";
  text += printable(state.recording->origin.encoding);
  // The generation says it for some files.
  const bool is_said = state.recording->origin.generation.find("list of segments") != std::string::npos;
  if (state.recording->origin.signs.is_list && !is_said) text += ", a bare list of segments";
  if (!state.recording->annotations.empty())
    text += fmt::format(", {} annotations", format_count(state.recording->annotations.size()));
  return text + '\n';
}

} // namespace

std::string stats_text(const std::string& file, const MemoryState& state, std::optional<DeviceId> device,
                       const KindsByDevice& peak_kinds) {
  std::string text = header(file, state);
  if (state.devices.empty()) text += "\nNo segments and no events on any device.\n";
  std::string maps;
  for (const DeviceState& device_state : state.devices) {
    if (device && device_state.device != *device) continue;
    text += device_text(state, device_state);
    if (const std::string kinds = kinds_text(state, device_state, peak_kinds); !kinds.empty()) text += "\n" + kinds;
    if (device_state.figures.segments > 0) maps += "\n" + segment_map(state, device_state.device);
  }
  text += largest_users(state, device) + maps + settings(state);
  for (const std::string& warning : warnings_and_losses(state))
    text += "\nWarning: " + printable(warning) + '\n';
  return text;
}

} // namespace memviz
