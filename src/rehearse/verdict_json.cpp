#include "rehearse/verdict.hpp"

#include "base/json_writer.hpp"

namespace memviz::rehearse {

namespace {

void write_uses(JsonWriter& json, const RunFacts& facts) {
  json.key("devices").begin_array();
  for (const DeviceUse& use : facts.uses)
    json.begin_object()
        .member("device", use.device.value)
        .member("rank", use.rank)
        .member("pid", use.pid)
        .member("total_bytes", use.total_bytes)
        .member("context_bytes", use.context_bytes)
        .member("peak_bytes", use.peak_bytes)
        .member("left_bytes", use.left_bytes())
        .member("peak_reserved_bytes", use.peak_reserved_bytes)
        .member("peak_allocated_bytes", use.peak_allocated_bytes)
        .member("retries", use.retries)
        .end_object();
  json.end_array();
}

/// An object that goes on.
void begin_facts(JsonWriter& json, const FileFacts& facts) {
  json.begin_object()
      .member("file", facts.file)
      .member("device", facts.device.value)
      .member("moment", facts.moment)
      .member("requested_bytes", facts.requested_bytes)
      .member("reserved_bytes", facts.reserved_bytes)
      .key("holders")
      .begin_array();
  for (const Holder& holder : facts.holders)
    json.begin_object()
        .member("line", holder.line)
        .member("bytes", holder.bytes)
        .member("blocks", holder.blocks)
        .end_object();
  json.end_array();
}

void write_failure(JsonWriter& json, const std::optional<Failure>& failure) {
  json.key("failure");
  if (!failure) {
    json.value(nullptr);
    return;
  }
  begin_facts(json, failure->facts);
  json.member("headline", failure->words.headline)
      .member("verdict_text", failure->words.verdict)
      .member("reasons", failure->words.reasons)
      .member("answers", failure->words.answers)
      .member("advice", failure->words.advice)
      .end_object();
}

void write_files(JsonWriter& json, const RunFacts& facts) {
  const auto add = [&](const std::string& file, std::string_view at, const auto& pid) {
    json.begin_object().member("file", file).member("at", at).member("pid", pid).end_object();
  };
  json.key("files").begin_array();
  for (const OutOfMemoryFact& oom : facts.ooms)
    if (!oom.file.empty()) add(oom.file, "oom", oom.pid);
  for (const WrittenFile& file : facts.files)
    add(file.path, "end", file.pid);
  json.end_array();
}

void write_gpu(JsonWriter& json, const Profile& profile) {
  json.key("gpu")
      .begin_object()
      .member("name", profile.gpu)
      .member("profile", profile.name)
      .member("total_bytes", profile.total_bytes)
      .member("context_bytes", profile.context_bytes)
      .end_object();
}

} // namespace

void write_verdict(JsonWriter& json, const FitVerdict& verdict) {
  json.begin_object().member("outcome", outcome_word(verdict.outcome)).member("text", headline(verdict));
  json.key("program").begin_object().member("exit_code", verdict.ending.exit_code);
  json.member("signal", verdict.ending.signal).end_object();
  write_gpu(json, verdict.profile);
  write_uses(json, verdict.facts);
  json.member("ooms", verdict.facts.oom_count)
      .member("steps", verdict.facts.steps)
      .member("is_stopped", verdict.facts.is_stopped)
      .key("peak");
  if (verdict.peak) {
    begin_facts(json, *verdict.peak);
    json.end_object();
  } else {
    json.value(nullptr);
  }
  write_failure(json, verdict.failure);
  write_files(json, verdict.facts);
  json.member("notes", notes(verdict)).end_object();
}

} // namespace memviz::rehearse
