#include "export/json_text.hpp"
#include "export/moment_json.hpp"
#include "export/rehearsal_json.hpp"
#include "memviz/export.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/no_stack.hpp"

namespace memviz {

namespace {

using Json = nlohmann::ordered_json;

/// {"bytes": 1024, "blocks": 1, "reasons": [{"reason": "allocated before recording", "bytes": 1024, "blocks": 1}]}
Json no_stack_json(const NoStackAccount& account) {
  Json reasons = Json::array();
  for (const auto& [key, amount] : account.reasons)
    reasons.push_back({{"reason", reason_text(key)}, {"bytes", amount.bytes}, {"blocks", amount.blocks}});
  return {{"bytes", account.total.bytes}, {"blocks", account.total.blocks}, {"reasons", std::move(reasons)}};
}

Json device_json(const DeviceStats& stats, const NoStackAccount& no_stack) {
  return {
      {"device", stats.device},
      {"at", moment_json(stats.at)},
      {"segments", stats.segments},
      {"blocks", stats.blocks},
      {"events", stats.events},
      {"reserved_bytes", stats.reserved_bytes},
      {"allocated_bytes", stats.allocated_bytes},
      {"pending_free_bytes", stats.pending_free_bytes},
      {"inactive_bytes", stats.inactive_bytes},
      {"requested_bytes", stats.requested_bytes},
      {"baseline_bytes", stats.baseline_bytes},
      {"may_have_lost_events", stats.may_have_lost_events},
      {"unmatched_frees", stats.unmatched_frees},
      {"peak_requested_bytes", stats.peak_requested_bytes},
      {"peak_event", stats.peak_event},
      {"end_requested_bytes", stats.end_requested_bytes},
      {"end_reserved_bytes", stats.end_reserved_bytes},
      {"balanced", stats.balanced()},
      {"imbalance_bytes", stats.imbalance_bytes},
      {"rounding_bytes", stats.rounding_bytes()},
      {"unaccounted_bytes", stats.unaccounted_bytes},
      {"ooms", stats.ooms},
      {"last_oom_event", stats.last_oom_event},
      {"outside_bytes", stats.outside_bytes},
      {"no_stack", no_stack_json(no_stack)},
  };
}

/// An array in an object, an element at a time: values of nlohmann's take ten times the memory of their text, which is
/// much where a file has ten thousand devices.
std::string devices_json(const MemoryState& state) {
  const std::vector<NoStackAccount> no_stack = no_stack_accounts(state);
  std::string text = "[";
  for (std::size_t i = 0; i < state.devices.size(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    for (const char c : json_text(device_json(state.devices[i], no_stack[i]), 2)) {
      text += c;
      if (c == '\n') text += "    ";
    }
  }
  return text + (state.devices.empty() ? "]" : "\n  ]");
}

} // namespace

std::string stats_json(const std::string& file, const MemoryState& state) {
  Json settings = Json::array(); // not an object: the file may name one twice
  for (const auto& [name, value] : state.recording->settings)
    settings.push_back({{"name", state.frames().text(name)}, {"value", state.frames().text(value)}});

  Json rest;
  rest["warnings"] = warnings_and_losses(state);
  rest["origin"] = {{"encoding", state.recording->origin.encoding}, {"generation", state.recording->origin.generation}};
  if (state.recording->origin.rehearsal) rest["rehearsal"] = rehearsal_json(*state.recording->origin.rehearsal);
  rest["settings"] = std::move(settings);
  return "{\n  \"file\": " + json_text(file, -1) + ",\n  \"devices\": " + devices_json(state) + "," +
         json_text(rest, 2).substr(1) + '\n';
}

} // namespace memviz
