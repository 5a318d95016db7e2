#include "memviz/fit.hpp"
#include "memviz/fit_report.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/lines_json.hpp"
#include "memviz/fit_server_settings.hpp"
#include "memviz/fit_words.hpp"
#include "memviz/moment_words.hpp"

namespace memviz::rehearse {

namespace {

/// Rises when a name or a meaning changes; additions do not count.
constexpr int kSchemaVersion = 1;
constexpr std::string_view kSchema = "memviz.rehearse/1.4";

std::string_view outcome_word(FitOutcome outcome) {
  switch (outcome) {
  case FitOutcome::fits: return "fits";
  case FitOutcome::does_not_fit: return "does_not_fit";
  case FitOutcome::failed: return "failed";
  case FitOutcome::no_gpu: break;
  }
  return "no_gpu";
}

std::string_view disturbance_word(Disturbance disturbance) {
  switch (disturbance) {
  case Disturbance::compiler: return "compiler";
  case Disturbance::unread: return "unread";
  case Disturbance::none: break;
  }
  return "none";
}

void write_uses(JsonWriter& json, const RunFacts& facts) {
  json.key("devices").begin_array();
  for (const DeviceUse& use : facts.uses)
    json.begin_object()
        .member("device", use.device.value)
        .member("rank", use.rank)
        .member("pid", use.pid)
        .member("total_bytes", use.total_bytes)
        .member("context_bytes", use.context_bytes)
        .member("outside_bytes", use.outside_bytes)
        .member("peak_bytes", use.peak_bytes)
        .member("left_bytes", use.left_bytes())
        .member("peak_reserved_bytes", use.peak_reserved_bytes)
        .member("peak_allocated_bytes", use.peak_allocated_bytes)
        .member("retries", use.retries)
        .end_object();
  json.end_array();
}

/// Writes members of an open object.
JsonWriter& begin_holder(JsonWriter& json, const Holder& holder) {
  return json.begin_object().member("line", holder.line).member("bytes", holder.bytes).member("blocks", holder.blocks);
}

void write_parts(JsonWriter& json, const KindAccount& account) {
  json.begin_array();
  for (const KindPart& part : kind_parts(account))
    json.begin_object().member("kind", kind_name(part.kind)).member("bytes", part.bytes).end_object();
  json.end_array();
}

/// Writes members of an open object.
void begin_facts(JsonWriter& json, const FileFacts& facts) {
  json.begin_object()
      .member("file", facts.file)
      .member("device", facts.device.device.value)
      .member("moment", moment_text(facts.device))
      .member("requested_bytes", facts.device.figures.requested_bytes)
      .member("reserved_bytes", facts.device.figures.reserved_bytes)
      .key("holders")
      .begin_array();
  for (const Holder& holder : facts.holders) {
    begin_holder(json, holder);
    write_callers(json, holder.callers);
    if (!holder.within.empty()) {
      json.key("within").begin_array();
      for (const Holder& inner : holder.within)
        begin_holder(json, inner).end_object();
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
  write_parts(json.key("kinds"), has_known(facts.kinds) ? facts.kinds : KindAccount{});
  if (bytes_of_kinds(facts.server_kinds) > 0) write_parts(json.key("server_kinds"), facts.server_kinds);
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

void write_reads(JsonWriter& json, const FitVerdict& verdict) {
  const RunFacts& facts = verdict.facts;
  json.member("host_reads", facts.host_reads).key("host_read_lines").begin_array();
  for (const ReadLine& read : facts.reads)
    json.begin_object().member("line", read.line).member("count", read.count).end_object();
  json.end_array();
  json.member("convolution_workspace_bytes_at_most", facts.convolutions > 0 ? kConvolutionWorkspaceBytes : 0);
  json.member("computes_values", verdict.computes_values).key("deciding_read_lines").begin_array();
  for (const ReadLine& read : facts.decisions)
    json.begin_object()
        .member("line", read.line)
        .member("count", read.count)
        .member("unknown", read.unknown_count)
        .member("made_up", read.made_up_count)
        .end_object();
  json.end_array().member("waits_at", facts.waits_at ? std::string_view(facts.waits_at->line) : "");
}

void write_other_ways(JsonWriter& json, const FitVerdict& verdict) {
  if (verdict.other_end)
    json.key("other_end")
        .begin_object()
        .member("events", verdict.other_end->is_latest ? "late" : "at-once")
        .member("outcome", outcome_word(verdict.other_end->outcome))
        .member("peak_bytes", verdict.other_end->peak_bytes)
        .end_object();
  if (verdict.other_values)
    json.key("other_values")
        .begin_object()
        .member("computes_values", verdict.other_values->is_computed)
        .member("outcome", outcome_word(verdict.other_values->outcome))
        .member("peak_bytes", verdict.other_values->peak_bytes)
        .member("is_range", verdict.other_values->is_range)
        .member("disturbs", disturbance_word(verdict.other_values->disturbance))
        .end_object();
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

/// Writes an inference server's figures as a member of an object; nothing for other programs.
void write_server(JsonWriter& json, const FitVerdict& verdict) {
  const std::optional<ServerFacts>& server = verdict.facts.server;
  if (!server) return;
  json.key("server")
      .begin_object()
      .member("name", server->name)
      .member("version", server->version)
      .member("has_started", server->has_started)
      .member("weights_bytes", server->weights_bytes)
      .member("activation_bytes", server->activation_bytes)
      .member("outside_bytes", server->outside_bytes)
      .member("cache_bytes", server->cache_bytes)
      .member("graph_bytes", server->graph_bytes)
      .member("request_cache_bytes", server->request_cache_bytes)
      .member("outside_model_bytes", server->outside_model_bytes)
      .member("outside_least_bytes", server->outside_least_bytes)
      .member("outside_most_bytes", server->outside_most_bytes)
      .member("graph_model_bytes", server->graph_model_bytes)
      .member("graph_least_bytes", server->graph_least_bytes)
      .member("graph_most_bytes", server->graph_most_bytes)
      .member("graphs", server->graphs)
      .member("graph_nodes", server->graph_nodes)
      .member("budget_bytes", server->budget_bytes)
      .member("awake_peak_bytes", server->awake_peak_bytes)
      .member("waking_peak_bytes", server->waking_peak_bytes)
      .member("asleep_peak_bytes", server->asleep_peak_bytes)
      .member("sleeps", server->sleeps)
      .member("cache_tokens", server->cache_tokens)
      .member("request_tokens", server->request_tokens)
      .member("requests_at_once", server->requests_at_once)
      .member("requests", server->requests)
      .member("tokens_of_request", server->tokens_of_request)
      .member("added", server->added)
      .member("error", server->error)
      .member("settings", settings_that_start(verdict))
      .end_object();
}

void write_verdict(JsonWriter& json, const FitVerdict& verdict) {
  json.begin_object().member("outcome", outcome_word(verdict.outcome)).member("text", headline(verdict));
  json.key("program").begin_object().member("exit_code", verdict.ending.exit_code);
  json.member("signal", verdict.ending.signal).end_object();
  write_gpu(json, verdict.profile);
  write_uses(json, verdict.facts);
  json.member("ooms", verdict.facts.oom_count)
      .member("steps", verdict.facts.steps)
      .member("is_stopped", verdict.facts.is_stopped)
      .member("interrupted_at", verdict.facts.interrupted_at);
  write_reads(json, verdict);
  json.key("peak");
  if (verdict.peak) {
    begin_facts(json, *verdict.peak);
    json.end_object();
  } else {
    json.value(nullptr);
  }
  write_failure(json, verdict.failure);
  json.key("tried").begin_array();
  for (const TriedChange& tried : verdict.tried)
    json.begin_object()
        .member("change", change_name(tried.change))
        .member("left_bytes", tried.left_bytes)
        .member("more_steps", tried.more_steps)
        .end_object();
  json.end_array();
  write_files(json, verdict.facts);
  write_server(json, verdict);
  write_other_ways(json, verdict);
  json.member("notes", notes(verdict)).end_object();
}

void write_change(JsonWriter& json, const FitVerdict& before, const FitVerdict& after) {
  const DeviceUse* const first = fullest(before.facts);
  const DeviceUse* const second = fullest(after.facts);
  json.key("change");
  if (first == nullptr || second == nullptr) {
    json.value(nullptr);
    return;
  }
  const auto delta = [](std::uint64_t from, std::uint64_t to) {
    return static_cast<std::int64_t>(to) - static_cast<std::int64_t>(from);
  };
  json.begin_object().member("peak_bytes", delta(first->peak_bytes, second->peak_bytes)).key("peak_reserved_bytes");
  if (first->peak_reserved_bytes && second->peak_reserved_bytes)
    json.value(delta(*first->peak_reserved_bytes, *second->peak_reserved_bytes));
  else
    json.value(nullptr);
  json.member("left_bytes", delta(first->left_bytes(), second->left_bytes())).end_object();
}

void write_search(JsonWriter& json, const SearchReport& report) {
  json.key("search")
      .begin_object()
      .member("name", report.range.name)
      .member("low", report.range.low)
      .member("high", report.range.high)
      .member("has_answer", report.has_answer)
      .member("largest", report.largest)
      .member("text", search_headline(report))
      .key("runs")
      .begin_array();
  for (const SearchRun& run : report.runs)
    json.begin_object()
        .member("value", run.value)
        .member("outcome", outcome_word(run.verdict.outcome))
        .member("peak_bytes", peak_of(run.verdict))
        .end_object();
  json.end_array().end_object();
}

/// Writes the run that decides, as a member of an object.
void write_deciding(JsonWriter& json, const RanksReport& report) {
  json.key("verdict");
  write_verdict(json, deciding_run(report).verdict);
}

/// Writes the ranks of a job as members of an object.
void write_ranks(JsonWriter& json, const RanksReport& report) {
  json.member("ranks", report.ranks).member("text", ranks_headline(report)).key("runs").begin_array();
  for (const RankRun& run : report.runs) {
    json.begin_object().member("rank", run.rank).key("verdict");
    write_verdict(json, run.verdict);
    json.end_object();
  }
  json.end_array().member("rank", deciding_run(report).rank);
}

} // namespace

std::string search_json(const SearchReport& report) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, kSchema).member("schema_version", kSchemaVersion);
    write_search(json, report);
    const SearchRun& run = answering_run(report);
    json.member("value", run.value).key("verdict");
    write_verdict(json, run.verdict);
    json.end_object();
  });
}

std::string frontier_json(const FrontierReport& report) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, kSchema).member("schema_version", kSchemaVersion).member("text", frontier_headline(report));
    json.key("frontier")
        .begin_object()
        .member("name", report.range.name)
        .member("low", report.range.low)
        .member("high", report.range.high)
        .key("rows")
        .begin_array();
    for (const FrontierRow& row : report.rows) {
      json.begin_object().member("value", row.value);
      write_search(json, row.search);
      json.end_object();
    }
    json.end_array().end_object().key("verdict");
    write_verdict(json, answering_run(report.rows.front().search).verdict);
    json.end_object();
  });
}

std::string ranks_json(const RanksReport& report) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, kSchema).member("schema_version", kSchemaVersion);
    write_ranks(json, report);
    write_deciding(json, report);
    json.end_object();
  });
}

std::string gpus_json(const GpusReport& report) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, kSchema).member("schema_version", kSchemaVersion);
    json.member("text", gpus_headline(report)).key("gpus").begin_array();
    for (const RanksReport& gpu : report.gpus) {
      json.begin_object().member("profile", profile_of(gpu).name);
      if (gpu.ranks > 1) write_ranks(json, gpu);
      write_deciding(json, gpu);
      json.end_object();
    }
    const RanksReport& answer = answering_gpu(report);
    json.end_array().member("profile", profile_of(answer).name);
    write_deciding(json, answer);
    json.end_object();
  });
}

std::string variants_json(const VariantsReport& report) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, kSchema).member("schema_version", kSchemaVersion).key("verdict");
    write_verdict(json, report.usual);
    if (!report.variants.empty()) {
      json.key("variants").begin_array();
      for (const Variant& variant : report.variants) {
        json.begin_object().member("setting", variant.setting).member("text", variant_headline(report.usual, variant));
        write_change(json, report.usual, variant.verdict);
        json.key("verdict");
        write_verdict(json, variant.verdict);
        json.end_object();
      }
      json.end_array();
    }
    json.end_object();
  });
}

} // namespace memviz::rehearse
