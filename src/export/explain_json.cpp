#include "export/json_text.hpp"
#include "export/rehearsal_json.hpp"
#include "memviz/explain.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/lost_history.hpp"

#include <algorithm>

namespace memviz {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostJsonLines = 100;

Json lines_json(const FrameTable& frames, const std::vector<UserLine>& lines) {
  Json result = Json::array();
  for (std::size_t i = 0; i < std::min(lines.size(), kMostJsonLines); ++i)
    result.push_back({{"line", node_label(frames, lines[i].key)},
                      {"bytes", lines[i].amount.bytes},
                      {"blocks", lines[i].amount.blocks}});
  return result;
}

Json totals_json(const MemoryLedger& ledger) {
  Json result = Json::object();
  for (const LedgerPart& part : ledger_parts(ledger))
    result[std::string(part.key)] = part.bytes;
  for (const char* key : {"device_free_bytes", "outside_bytes", "capacity_bytes"})
    if (!result.contains(key)) result[key] = nullptr;
  result["largest_hole_bytes"] = ledger.largest_hole_bytes;
  result["largest_any_hole_bytes"] = ledger.largest_any_hole_bytes;
  return result;
}

Json request_json(const FrameTable& frames, const DeviceExplanation& device) {
  const Request& request = *device.request;
  return {{"event", request.event},
          {"line", node_label(frames, device.asking_line)},
          {"bytes", request.bytes},
          {"stream", request.stream},
          {"pool", {request.pool.first, request.pool.second}},
          {"pool_is_known", request.pool_is_known}};
}

Json what_if_json(const MemoryState& state, const WhatIf& answer, const std::string& text) {
  Json blocks = Json::array();
  for (const std::uint32_t block : answer.blocks)
    blocks.push_back(
        {{"address", std::to_string(state.blocks[block].address)}, {"bytes", state.blocks[block].size_bytes}});
  Json result{{"circumstance", circumstance_name(answer.circumstance)},
              {"value", nullptr},
              {"outcome", outcome_name(answer.outcome)},
              {"proviso", nullptr},
              {"reserved_bytes", nullptr},
              {"failed_event", answer.failed_event},
              {"blocks", std::move(blocks)},
              {"text", text}};
  if (answer.circumstance == Circumstance::max_split_size) result["value"] = answer.value_bytes;
  if (answer.proviso != Proviso::none) result["proviso"] = proviso_name(answer.proviso);
  if (answer.reserved_bytes) result["reserved_bytes"] = *answer.reserved_bytes;
  return result;
}

Json pins_json(const MemoryState& state, const Pins& pins) {
  Json lines = Json::array();
  for (std::size_t i = 0; i < std::min(pins.lines.size(), kMostJsonLines); ++i)
    lines.push_back({{"line", node_label(state.frames(), pins.lines[i].key)},
                     {"bytes", pins.lines[i].active.bytes},
                     {"blocks", pins.lines[i].active.blocks},
                     {"segments", pins.lines[i].segments},
                     {"held_bytes", pins.lines[i].held_bytes},
                     {"alone_bytes", pins.lines[i].alone_bytes}});
  return {{"held_bytes", pins.held_bytes}, {"segments", pins.segments.size()}, {"lines", std::move(lines)}};
}

Json device_json(const MemoryState& state, const DeviceExplanation& device) {
  const ExplanationText words = in_words(state, device);
  Json what_ifs = Json::array();
  for (std::size_t i = 0; i < device.what_ifs.size(); ++i)
    what_ifs.push_back(what_if_json(state, device.what_ifs[i], words.answers[i]));
  Json result{{"device", device.stats.device},
              {"moment", moment_text(device.stats.at, device.stats.events)},
              {"event", device.stats.at.event},
              {"headline", words.headline},
              {"verdict", verdict_name(device.judgement.verdict)},
              {"verdict_text", words.verdict},
              {"reasons", words.reasons},
              {"request", nullptr},
              {"totals", totals_json(device.ledger)},
              {"needed_bytes", device.judgement.needed_bytes},
              {"missing_bytes", device.judgement.missing_bytes},
              {"missing_is_least", device.judgement.missing_is_least},
              {"reachable_bytes", device.judgement.reachable_bytes},
              {"what_if", std::move(what_ifs)},
              {"model",
               {{"allocs", device.fidelity.allocs},
                {"same_places", device.fidelity.same_places},
                {"largest_error_bytes", device.fidelity.largest_error_bytes},
                {"largest_reserved_bytes", device.fidelity.largest_reserved_bytes},
                {"reproduces", device.fidelity.reproduces()}}},
              {"advice", words.advice},
              {"users", lines_json(state.frames(), device.users)},
              {"pins", pins_json(state, device.pins)},
              {"growth",
               {{"since_event", device.growth.low_event},
                {"low_bytes", device.growth.low_bytes},
                {"lines", lines_json(state.frames(), device.growth.lines)},
                {"reserved_bytes", device.growth.reserved_bytes},
                {"reserving", lines_json(state.frames(), device.growth.reserving)}}}};
  if (device.request) result["request"] = request_json(state.frames(), device);
  return result;
}

} // namespace

std::string explain_json(const std::string& file, const MemoryState& state,
                         const std::vector<DeviceExplanation>& devices) {
  Json list = Json::array();
  for (const DeviceExplanation& device : devices)
    list.push_back(device_json(state, device));
  Json result;
  result["file"] = file;
  if (state.recording->origin.rehearsal) result["rehearsal"] = rehearsal_json(*state.recording->origin.rehearsal);
  result["devices"] = std::move(list);
  result["warnings"] = warnings_and_losses(state);
  return json_text(result, 2) + '\n';
}

} // namespace memviz
