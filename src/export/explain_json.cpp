#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/causes_json.hpp"
#include "export/device_json.hpp"
#include "export/keepers_json.hpp"
#include "export/kinds_json.hpp"
#include "export/lines_json.hpp"
#include "export/rehearsal_json.hpp"
#include "memviz/explain.hpp"
#include "memviz/explain_report.hpp"
#include "memviz/explain_words.hpp"
#include "memviz/format.hpp"
#include "memviz/label.hpp"
#include "memviz/moment_words.hpp"
#include "memviz/warnings.hpp"
#include "story/cause_words.hpp"

#include <algorithm>
#include <array>

namespace memviz {

namespace {

constexpr std::size_t kMostJsonLines = 100;

void write_totals(JsonWriter& json, const MemoryLedger& ledger) {
  const auto parts = ledger_parts(ledger);
  json.begin_object();
  for (const LedgerPart& part : parts)
    json.member(part.key, part.bytes);
  for (const std::string_view key : {"device_free_bytes", "outside_bytes", "capacity_bytes"})
    if (std::none_of(parts.begin(), parts.end(), [&](const LedgerPart& part) { return part.key == key; }))
      json.member(key, nullptr);
  json.member("largest_hole_bytes", ledger.largest_hole_bytes);
  json.member("largest_any_hole_bytes", ledger.largest_any_hole_bytes).end_object();
}

void write_request(JsonWriter& json, const FrameTable& frames, const DeviceExplanation& device) {
  if (!device.request) {
    json.value(nullptr);
    return;
  }
  const Request& request = *device.request;
  json.begin_object()
      .member("event", request.event.number())
      .member("line", node_label(frames, device.asking_line))
      .member("bytes", request.bytes)
      .member("stream", request.stream)
      .member("pool", std::array{request.pool.first, request.pool.second})
      .member("pool_is_known", request.pool_is_known)
      .key("annotations")
      .begin_array();
  for (const StringId name : device.open_annotations)
    json.value(frames.text(name));
  json.end_array().key("forward_frames").begin_array();
  for (const FrameId frame : frames.stack(request.forward_stack))
    json.value(frames.name(frame));
  json.end_array()
      .member("compile_context", frames.text(request.compile_context))
      .member("user_metadata", frames.text(request.user_metadata))
      .end_object();
}

void write_what_if(JsonWriter& json, const MemoryState& state, const WhatIf& answer, const std::string& text) {
  json.begin_object().member("circumstance", circumstance_name(answer.circumstance)).key("value");
  if (answer.circumstance == Circumstance::max_split_size)
    json.value(answer.value_bytes);
  else
    json.value(nullptr);
  json.member("outcome", outcome_name(answer.outcome)).key("proviso");
  if (answer.proviso == Proviso::none)
    json.value(nullptr);
  else
    json.value(proviso_name(answer.proviso));
  json.member("prospect", prospect_name(answer.prospect));
  json.member("reserved_bytes", answer.reserved_bytes).member("failed_event", answer.failed_event.number());
  json.key("blocks").begin_array();
  for (const std::uint32_t block : answer.blocks)
    json.begin_object()
        .member("address", std::to_string(state.blocks[block].address))
        .member("bytes", state.blocks[block].size_bytes)
        .end_object();
  json.end_array().member("text", text).end_object();
}

void write_pins(JsonWriter& json, const MemoryState& state, const Pins& pins) {
  json.begin_object().member("held_bytes", pins.held_bytes).member("segments", pins.segments.size());
  json.key("lines").begin_array();
  for (std::size_t i = 0; i < std::min(pins.lines.size(), kMostJsonLines); ++i)
    json.begin_object()
        .member("line", node_label(state.frames(), pins.lines[i].key))
        .member("bytes", pins.lines[i].active.bytes)
        .member("blocks", pins.lines[i].active.blocks)
        .member("segments", pins.lines[i].segments)
        .member("held_bytes", pins.lines[i].held_bytes)
        .member("alone_bytes", pins.lines[i].alone_bytes)
        .end_object();
  json.end_array().end_object();
}

void write_growth(JsonWriter& json, const FrameTable& frames, const Growth& growth) {
  json.begin_object()
      .member("since_event", growth.low_event.number())
      .member("low_bytes", growth.low_bytes)
      .key("lines");
  write_lines(json, frames, growth.lines);
  json.member("reserved_bytes", growth.reserved_bytes).key("reserving");
  write_lines(json, frames, growth.reserving);
  json.end_object();
}

void write_leak(JsonWriter& json, const FrameTable& frames, const std::optional<StepLeak>& leak) {
  if (!leak) {
    json.value(nullptr);
    return;
  }
  json.begin_object().member("bytes_per_step", leak->bytes_per_step).member("steps", leak->steps).key("lines");
  write_lines(json, frames, leak->lines);
  json.end_object();
}

void write_pass(JsonWriter& json, const std::optional<PassNeed>& pass) {
  if (!pass) {
    json.value(nullptr);
    return;
  }
  json.begin_object()
      .member("basis", pass_basis_name(pass->basis))
      .member("passes", pass->passes)
      .member("rise_bytes", pass->rise_bytes)
      .member("risen_bytes", pass->risen_bytes)
      .member("to_come_bytes", pass->to_come_bytes)
      .member("available_bytes", pass->available_bytes)
      .member("missing_bytes", pass->missing_bytes())
      .member("growth_bytes", pass->growth_bytes)
      .member("checkpointing_bytes", pass->checkpointing_bytes)
      .end_object();
}

void write_first_step(JsonWriter& json, const std::optional<FirstStep>& step) {
  if (!step) {
    json.value(nullptr);
    return;
  }
  json.begin_object()
      .member("parameter_bytes", step->parameter_bytes)
      .member("gradient_bytes", step->gradient_bytes)
      .member("gradients_to_come_bytes", step->gradients_to_come_bytes)
      .member("optimizer", step->optimizer)
      .member("values_per_parameter", step->values_per_parameter)
      .member("state_bytes", step->state_bytes)
      .member("state_to_come_bytes", step->state_to_come_bytes)
      .member("pass_bytes", step->pass_bytes)
      .member("needed_bytes", step->needed_bytes)
      .member("available_bytes", step->available_bytes)
      .member("missing_bytes", step->missing_bytes)
      .key("levers")
      .begin_array();
  for (const LeverGain& gain : step->levers)
    json.begin_object().member("lever", lever_name(gain.lever)).member("bytes", gain.bytes).end_object();
  json.end_array().end_object();
}

void write_measured(JsonWriter& json, const MeasuredDevice& measured) {
  json.key("measured")
      .begin_object()
      .member("total_bytes", measured.total_bytes)
      .member("own_outside_bytes", measured.own_outside_bytes)
      .member("other_processes", measured.other_processes)
      .member("other_processes_bytes", measured.other_processes_bytes)
      .end_object();
}

void write_judgement(JsonWriter& json, const Judgement& judgement) {
  json.member("needed_bytes", judgement.needed_bytes)
      .member("missing_bytes", judgement.missing_bytes)
      .member("missing_is_least", judgement.missing_is_least)
      .member("reachable_bytes", judgement.reachable_bytes);
}

void write_model(JsonWriter& json, const Fidelity& fidelity) {
  json.begin_object()
      .member("allocs", fidelity.allocs)
      .member("same_places", fidelity.same_places)
      .member("largest_error_bytes", fidelity.largest_error_bytes)
      .member("largest_reserved_bytes", fidelity.largest_reserved_bytes)
      .member("reproduces", fidelity.reproduces())
      .key("free_block_order");
  if (fidelity.free_block_order)
    json.value(free_block_order_name(*fidelity.free_block_order));
  else
    json.value(nullptr);
  json.member("settings_not_modelled", fidelity.settings_not_modelled).end_object();
}

void write_device(JsonWriter& json, const MemoryState& state, const DeviceExplanation& device) {
  const ExplanationText words = in_words(state, device);
  const FrameTable& frames = state.frames();
  write_device_key(json.begin_object(), device.device_state.device)
      .member("moment", moment_text(device.device_state))
      .member("event", device.device_state.moment.event.number())
      .member("headline", words.headline)
      .member("verdict", verdict_name(device.judgement.verdict))
      .member("verdict_text", words.verdict)
      .member("reasons", words.reasons);
  write_causes(json.key("causes"), frames, scope_of(device), device.causes);
  json.key("request");
  write_request(json, frames, device);
  json.key("totals");
  write_totals(json, device.ledger);
  write_perfect_allocator(json, perfect_allocator(device.device_state, device.ledger.device_free_bytes));
  if (device.measured) write_measured(json, *device.measured);
  write_judgement(json, device.judgement);
  json.key("what_if").begin_array();
  for (std::size_t i = 0; i < device.what_ifs.size(); ++i)
    write_what_if(json, state, device.what_ifs[i], words.answers[i]);
  json.end_array().key("model");
  write_model(json, device.fidelity);
  json.member("advice", words.advice).key("kinds");
  write_kinds(json, device.kinds);
  json.key("users");
  write_lines(json, frames, device.users, device.callers);
  json.key("keepers");
  if (device.keepers)
    write_object(json, kKeepers, {frames, *device.keepers});
  else
    json.value(nullptr);
  json.key("pins");
  write_pins(json, state, device.pins);
  json.key("growth");
  write_growth(json, frames, device.growth);
  json.key("leak");
  write_leak(json, frames, device.leak);
  json.key("pass");
  write_pass(json, device.pass);
  json.key("first_step");
  write_first_step(json, device.first_step);
  json.end_object();
}

} // namespace

std::string explain_json(const std::string& file, const MemoryState& state,
                         const std::vector<DeviceExplanation>& devices) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.explain/1.4").member("file", file);
    write_rehearsal(json, state.recording->origin.rehearsal);
    json.key("devices").begin_array();
    for (const DeviceExplanation& device : devices)
      write_device(json, state, device);
    json.end_array().member("warnings", warnings_and_losses(state)).end_object();
  });
}

} // namespace memviz
