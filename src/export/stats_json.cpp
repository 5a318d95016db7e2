#include "export/json_text.hpp"
#include "export/moment_json.hpp"
#include "memviz/export.hpp"
#include "memviz/lost_history.hpp"

namespace memviz {

namespace {

using Json = nlohmann::ordered_json;

Json device_json(const DeviceStats& stats) {
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
      {"unmatched_frees", stats.unmatched_frees},
      {"peak_requested_bytes", stats.peak_requested_bytes},
      {"peak_event", stats.peak_event},
      {"end_requested_bytes", stats.end_requested_bytes},
      {"balanced", stats.balanced()},
      {"imbalance_bytes", stats.imbalance_bytes},
      {"rounding_bytes", stats.rounding_bytes()},
      {"unaccounted_bytes", stats.unaccounted_bytes},
      {"ooms", stats.ooms},
      {"last_oom_event", stats.last_oom_event},
  };
}

} // namespace

std::string stats_json(const std::string& file, const Snapshot& snapshot, const Replay& replay) {
  Json devices = Json::array();
  for (const DeviceStats& stats : replay.devices)
    devices.push_back(device_json(stats));
  Json settings = Json::array(); // not an object: the file may name one twice
  for (const auto& [name, value] : snapshot.settings)
    settings.push_back({{"name", snapshot.frames.text(name)}, {"value", snapshot.frames.text(value)}});

  Json result;
  result["file"] = file;
  result["devices"] = std::move(devices);
  result["warnings"] = warnings_and_losses(snapshot, replay);
  result["origin"] = {{"encoding", snapshot.origin.encoding}, {"generation", snapshot.origin.generation}};
  result["settings"] = std::move(settings);
  return json_text(result, 2) + '\n';
}

} // namespace memviz
