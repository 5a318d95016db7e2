#include "base/first_of.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/device_text.hpp"
#include "export/holders_text.hpp"
#include "export/keepers_text.hpp"
#include "export/kinds_text.hpp"
#include "export/segment_map.hpp"
#include "export/text_table.hpp"
#include "memviz/export.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/warnings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kMostUsers = 10;
constexpr std::size_t kMostSettings = 40;
constexpr std::size_t kSettingColumns = 48;
constexpr std::size_t kUserColumns = 64;

std::string largest_users(const MemoryState& state, std::optional<DeviceId> device) {
  // At different moments their sum was never held at once.
  const DeviceState* const leading = leading_device(state.devices_of(device));
  const auto users = rank_user_lines(state, leading == nullptr ? device : leading->device);
  if (users.empty()) return "";
  std::uint64_t total_bytes = 0;
  for (const UserLine& user : users)
    total_bytes += user.amount.bytes;
  return fmt::format("\nLargest users{}, by the innermost line of your own code\n",
                     leading == nullptr ? "" : " of " + device_name(*leading)) +
         holders_text(state.frames(), holder_table(users, total_bytes, {}, {.most = kMostUsers}),
                      {.name_columns = kUserColumns, .head = "line"});
}

/// Returns "roundup_power2_divisions" for "roundup_power2_divisions.256"; "" if the name does not end in a number.
std::string_view group_of(std::string_view setting) {
  const std::size_t dot = setting.find('.');
  const bool has_number = dot != std::string_view::npos && dot + 1 < setting.size() &&
                          setting.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
  return has_number ? setting.substr(0, dot) : std::string_view();
}

/// Returns the values of the settings of one group: "0 each", or "256: 1, 512: 8".
std::string group_values(const FrameTable& frames, std::span<const std::pair<StringId, StringId>> group) {
  const StringId first = group.front().second;
  if (std::ranges::all_of(group, [&](const auto& setting) { return setting.second == first; }))
    return std::string(frames.text(first)) + " each";
  std::string values;
  for (const auto& [name, value] : group) {
    if (values.size() > kSettingColumns) break; // no more is shown
    const std::string_view part = frames.text(name).substr(frames.text(name).find('.') + 1);
    values += fmt::format("{}{}: {}", values.empty() ? "" : ", ", part, frames.text(value));
  }
  return values;
}

/// Returns rows of settings; those of one group, such as "roundup_power2_divisions.256", share a row.
std::vector<std::pair<std::string, std::string>> setting_rows(const MemoryState& state) {
  const FrameTable& frames = state.frames();
  const std::span<const std::pair<StringId, StringId>> settings = state.recording->settings;
  std::vector<std::pair<std::string, std::string>> rows;
  for (std::size_t i = 0; i < settings.size();) {
    const std::string_view name = frames.text(settings[i].first);
    const std::string_view group = group_of(name);
    std::size_t end = i + 1;
    while (!group.empty() && end < settings.size() && group_of(frames.text(settings[end].first)) == group)
      ++end;
    if (end - i > 1)
      rows.emplace_back(group, group_values(frames, settings.subspan(i, end - i)));
    else
      rows.emplace_back(name, frames.text(settings[i].second));
    i = end;
  }
  return rows;
}

std::string settings(const MemoryState& state) {
  const std::vector<std::pair<std::string, std::string>> rows = setting_rows(state);
  if (rows.empty()) return "";
  TextTable table{Align::left, Align::left};
  const auto shown = first_of(rows, kMostSettings);
  for (const auto& [name, value] : shown)
    table.add_row({elided(name, kSettingColumns), elided(value, kSettingColumns)});
  return "\nAllocator settings\n" + table.text("  ", rows.size() - shown.size());
}

std::string header(const std::string& file, const MemoryState& state) {
  std::string text = printable(file) + '\n';
  if (!state.recording->origin.generation.empty()) text += printable(state.recording->origin.generation) + ", ";
  text += printable(state.recording->origin.encoding);
  // For some files the generation includes it.
  const bool is_said = state.recording->origin.generation.find("list of segments") != std::string::npos;
  if (state.recording->origin.signs.is_list && !is_said) text += ", a bare list of segments";
  if (!state.recording->annotations.empty())
    text += fmt::format(", {} annotations", format_count(state.recording->annotations.size()));
  return text + '\n';
}

} // namespace

std::string stats_text(const std::string& file, const MemoryState& state, std::optional<DeviceId> device,
                       const KindsByDevice& peak_kinds, const KeepersByDevice& keepers) {
  std::string text = header(file, state);
  if (state.devices.empty()) text += fmt::format("\n{}\n", kNoMemory);
  std::string maps;
  for (const DeviceState* device_state : failed_first(state.devices_of(device))) {
    text += device_text(state, *device_state);
    if (const std::string kinds = kinds_text(state, *device_state, peak_kinds); !kinds.empty()) text += "\n" + kinds;
    if (const auto found = keepers.find(device_state->device); found != keepers.end())
      if (const std::string kept = keepers_text(state.frames(), found->second); !kept.empty()) text += "\n" + kept;
    if (device_state->figures.segments > 0) maps += "\n" + segment_map(state, device_state->device);
  }
  text += largest_users(state, device) + maps + settings(state);
  for (const std::string& warning : warnings_and_losses(state))
    text += '\n' + wrapped_text(warning, "Warning: ");
  return text;
}

} // namespace memviz
