#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/device_json.hpp"
#include "export/keepers_json.hpp"
#include "export/kinds_json.hpp"
#include "export/lines_json.hpp"
#include "export/moment_json.hpp"
#include "export/rehearsal_json.hpp"
#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/kinds.hpp"
#include "memviz/no_stack.hpp"
#include "memviz/no_stack_words.hpp"
#include "memviz/warnings.hpp"

namespace memviz {

namespace {

/// {"bytes": 1024, "blocks": 1, "reasons": [{"reason": "allocated before recording", "bytes": 1024, "blocks": 1}]}
void write_no_stack(JsonWriter& json, const NoStackAccount& account) {
  json.begin_object().member("bytes", account.total.bytes).member("blocks", account.total.blocks);
  json.key("reasons").begin_array();
  for (const UserLine& reason : account.reasons)
    json.begin_object()
        .member("reason", reason_text(reason.key))
        .member("bytes", reason.amount.bytes)
        .member("blocks", reason.amount.blocks)
        .end_object();
  json.end_array().end_object();
}

/// Writes the members of an open object.
void write_device(JsonWriter& json, const MemoryState& state, const DeviceState& device_state,
                  const NoStackAccount& no_stack, const KindsByDevice& peak_kinds) {
  write_device_key(json, device_state.device).key("at");
  write_moment(json, device_state.moment);
  json.member("segments", device_state.figures.segments)
      .member("blocks", device_state.figures.blocks)
      .member("events", device_state.figures.events);
  write_totals(json, device_state.figures)
      .member("requested_bytes", device_state.figures.requested_bytes)
      .member("baseline_bytes", device_state.figures.baseline_bytes)
      .member("may_have_lost_events", device_state.figures.may_have_lost_events)
      .member("unmatched_frees", device_state.figures.unmatched_frees)
      .member("peak_requested_bytes", device_state.figures.peak_requested_bytes)
      .member("peak_event", device_state.peak_event.number())
      .member("end_requested_bytes", device_state.figures.end_requested_bytes)
      .member("end_reserved_bytes", device_state.figures.end_reserved_bytes)
      .member("balanced", device_state.figures.balanced())
      .member("imbalance_bytes", device_state.figures.imbalance_bytes)
      .member("rounding_bytes", device_state.figures.rounding_bytes())
      .member("unaccounted_bytes", device_state.figures.unaccounted_bytes)
      .member("ooms", device_state.figures.ooms)
      .member("last_oom_event", device_state.last_oom_event.number())
      .member("outside_bytes", device_state.figures.outside_bytes);
  write_perfect_allocator(json, perfect_allocator(device_state)).key("no_stack");
  write_no_stack(json, no_stack);
  if (state.has_kinds) write_kinds(json.key("kinds"), kind_account(state, device_state.device));
  const auto peak = peak_kinds.find(device_state.device);
  if (peak != peak_kinds.end()) write_kinds(json.key("peak_kinds"), peak->second);
}

} // namespace

std::string stats_json(const std::string& file, const MemoryState& state, const KindsByDevice& peak_kinds,
                       const KeepersByDevice& keepers) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.stats/1.3").member("file", file).key("devices").begin_array();
    const std::vector<NoStackAccount> no_stack = no_stack_accounts(state);
    const std::vector<std::vector<UserLine>> users = rank_user_lines_of_devices(state);
    for (std::size_t i = 0; i < state.devices.size(); ++i) {
      write_device(json.begin_object(), state, state.devices[i], no_stack[i], peak_kinds);
      const auto kept = keepers.find(state.devices[i].device);
      write_keepers(json.key("keepers"), state.frames(),
                    kept == keepers.end() ? std::nullopt : std::optional(kept->second));
      write_lines(json.key("users"), state.frames(), users[i]);
      json.end_object();
    }
    json.end_array().member("warnings", warnings_and_losses(state));
    const Origin& origin = state.recording->origin;
    json.key("origin")
        .begin_object()
        .member("encoding", origin.encoding)
        .member("generation", origin.generation)
        .member("device_kind", words_of(origin.device_kind).key)
        .end_object();
    write_rehearsal(json, origin.rehearsal);
    json.key("settings").begin_array(); // not an object: the file may name one twice
    for (const auto& [name, value] : state.recording->settings)
      json.begin_object()
          .member("name", state.frames().text(name))
          .member("value", state.frames().text(value))
          .end_object();
    json.end_array().end_object();
  });
}

} // namespace memviz
