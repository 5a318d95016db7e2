#include "base/first_of.hpp"
#include "base/printable.hpp"
#include "base/wrap.hpp"
#include "export/holders_text.hpp"
#include "export/keepers_text.hpp"
#include "export/segment_map.hpp"
#include "export/text_table.hpp"
#include "memviz/export.hpp"
#include "memviz/format.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/moment.hpp"
#include "memviz/places.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"
#include "memviz/warnings.hpp"
#include "story/accounts.hpp"
#include "story/kind_words.hpp"
#include "story/moment_words.hpp"
#include "story/perfect_allocator_words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

namespace {

/// "by frames"; for several kinds of evidence, how much by each.
std::string known_by(const KindAmount& amount) {
  std::vector<std::size_t> ways;
  for (std::size_t i = 1; i < kKindEvidences; ++i)
    if (amount.bytes_by[i] > 0) ways.push_back(i);
  if (ways.empty()) return std::string(evidence_words(KindEvidence::none));
  std::string text;
  for (const std::size_t way : ways) {
    text += text.empty() ? "" : ", ";
    text += evidence_words(static_cast<KindEvidence>(way));
    if (ways.size() > 1) text += " " + format_bytes(amount.bytes_by[way]);
  }
  return text;
}

/// Returns the kinds that exist or existed, the largest first.
std::vector<std::size_t> kinds_of(const KindAccount& now, const KindAccount& peak) {
  const auto most = [&](std::size_t kind) { return std::max(now[kind].bytes, peak[kind].bytes); };
  std::vector<std::size_t> kinds;
  for (std::size_t i = 0; i < kMemoryKinds; ++i)
    if (most(i) > 0) kinds.push_back(i);
  std::ranges::stable_sort(kinds, std::ranges::greater(), most);
  return kinds;
}

std::string table_of(const KindAccount& now) {
  TextTable table{Align::right, Align::right, Align::right, Align::left, Align::left};
  table.add_row({"requested", "share", "blocks", "kind", "known"});
  const std::uint64_t total_bytes = bytes_of_kinds(now);
  for (const std::size_t i : kinds_of(now, {})) {
    const KindAmount& amount = now[i];
    table.add_row({format_bytes(amount.bytes), format_percent(amount.bytes, total_bytes), format_count(amount.blocks),
                   std::string(kind_name(static_cast<MemoryKind>(i))), known_by(amount)});
  }
  return table.text("  ");
}

std::string table_of(const KindAccount& now, const std::string& moment, const KindAccount& peak) {
  TextTable table{Align::right, Align::right, Align::right, Align::right, Align::left, Align::left};
  table.add_row({moment, "share", "at the peak", "share", "kind", "known"});
  const std::uint64_t now_bytes = bytes_of_kinds(now);
  const std::uint64_t peak_bytes = bytes_of_kinds(peak);
  for (const std::size_t i : kinds_of(now, peak))
    table.add_row({format_bytes(now[i].bytes), format_percent(now[i].bytes, now_bytes), format_bytes(peak[i].bytes),
                   format_percent(peak[i].bytes, peak_bytes), std::string(kind_name(static_cast<MemoryKind>(i))),
                   known_by(now[i].bytes > 0 ? now[i] : peak[i])});
  return table.text("  ");
}

/// Returns a heading and one row per kind, the largest first, with its bytes at the peak if that is another moment, and
/// its evidence; "" for a state without kinds, or a device without memory in use.
std::string kinds_text(const MemoryState& state, const DeviceState& device_state, const KindsByDevice& peak_kinds) {
  if (!state.has_kinds) return "";
  const KindAccount now = kind_account(state, device_state.device);
  const auto found = peak_kinds.find(device_state.device);
  const bool has_peak =
      found != peak_kinds.end() && device_state.figures.events > 0 && device_state.moment.kind != MomentKind::peak;
  if (bytes_of_kinds(now) == 0 && (!has_peak || bytes_of_kinds(found->second) == 0)) return "";
  return "  kinds of memory in use\n" +
         (has_peak ? table_of(now, short_moment_text(device_state.moment), found->second) : table_of(now));
}

constexpr std::size_t kMostPools = 20;

std::string totals(const DeviceState& device_state) {
  TextTable table{Align::left, Align::right, Align::right, Align::right};
  const auto add = [&](const std::string& name, std::uint64_t bytes) {
    table.add_row({name, format_bytes(bytes), format_count(bytes) + " B",
                   format_percent(bytes, device_state.figures.reserved_bytes)});
  };
  add("reserved", device_state.figures.reserved_bytes);
  add("  in use (active_allocated)", device_state.figures.allocated_bytes);
  add("  awaiting free (active_pending_free)", device_state.figures.pending_free_bytes);
  add("  free (inactive)", device_state.figures.inactive_bytes);
  if (device_state.figures.unaccounted_bytes > 0) add("  unaccounted", device_state.figures.unaccounted_bytes);
  add("requested", device_state.figures.requested_bytes);
  if (device_state.figures.outside_bytes > 0) add("  outside all segments", device_state.figures.outside_bytes);
  add("rounding", device_state.figures.rounding_bytes());
  return table.text("  ");
}

/// Returns "" if the device has one pool and one stream, because the totals say everything.
std::string pools_and_streams(const MemoryState& state, DeviceId device) {
  const std::vector<Place> places = places_of(state, device);
  if (places.size() < 2) return "";

  TextTable table{Align::left, Align::right, Align::right, Align::right, Align::right, Align::right};
  table.add_row({"pool and stream", "segments", "reserved", "in use", "awaiting free", "free"});
  const auto shown = first_of(places, kMostPools);
  for (const Place& place : shown) {
    const std::string pool = node_label(state.frames(), place.pool);
    table.add_row({elided(fmt::format("{}, stream {}", pool, place.stream), 40), format_count(place.totals.segments),
                   format_bytes(place.totals.reserved_bytes), format_bytes(place.totals.allocated_bytes),
                   format_bytes(place.totals.pending_free_bytes), format_bytes(place.totals.inactive_bytes)});
  }
  return "\n" + table.text("  ", places.size() - shown.size());
}

std::string event_text(EventIndex event) {
  return event.is_none() ? "before the first event" : "after event " + format_count(event.value());
}

/// Returns the requested bytes over the recording, as a sum that a person can check.
std::string accounts(const DeviceState& device_state) {
  if (device_state.figures.events == 0) return "  no events: the history was not recorded, or nothing was allocated\n";
  TextTable table{Align::left, Align::right, Align::right, Align::left};
  const auto add = [&](const std::string& name, std::uint64_t bytes, const std::string& note) {
    table.add_row({name, format_bytes(bytes), format_count(bytes) + " B", note});
  };
  const std::string unmatched = device_state.figures.unmatched_frees == 0
                                    ? ""
                                    : "without a recorded alloc: " + format_count(device_state.figures.unmatched_frees);
  add(fmt::format("  alive {}", baseline_text(device_state.figures)), device_state.figures.baseline_bytes, "");
  add("+ allocated", device_state.figures.alloc_bytes, "allocs: " + format_count(device_state.figures.allocs));
  add("- freed", device_state.figures.free_bytes, unmatched);
  add("= alive at the end", device_state.figures.end_requested_bytes, balance_cell(device_state.figures));
  add("  peak", device_state.figures.peak_requested_bytes, event_text(device_state.peak_event));
  std::string text = fmt::format("  requested bytes over {}\n", format_counted(device_state.figures.events, "event")) +
                     table.text("  ");
  if (const auto perfect = perfect_allocator(device_state))
    text += fmt::format("  {}\n", perfect_allocator_text(*perfect));
  if (device_state.figures.ooms > 0) {
    text += fmt::format("  out of memory: {}, the last at event {}\n", format_count(device_state.figures.ooms),
                        format_count(device_state.last_oom_event.value()));
  }
  return text;
}

/// Returns the reserved memory and the memory in use at the end, by pool and stream if there are several, and the sum
/// that leads there.
std::string device_text(const MemoryState& state, const DeviceState& device_state) {
  const std::string moment = device_state.moment.is_end() ? "" : ' ' + printable(moment_text(device_state));
  return fmt::format("\n{}{} (segments: {}, blocks: {})\n", device_heading(device_state), moment,
                     format_count(device_state.figures.segments), format_count(device_state.figures.blocks)) +
         totals(device_state) + pools_and_streams(state, device_state.device) + "\n" + accounts(device_state);
}

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
    text += ", " + format_counted(state.recording->annotations.size(), "annotation");
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
