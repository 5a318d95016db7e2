#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/gauge_json.hpp"
#include "memviz/compare_jobs_report.hpp"
#include "memviz/compare_jobs_words.hpp"

#include <string_view>

namespace memviz {
namespace {

void write_job(JsonWriter& json, std::string_view key, const std::string& name, const JobReport& report) {
  json.key(key).begin_object().member("name", name).member("ranks", report.ranks.size());
  json.key("unread_files").begin_array();
  for (const std::size_t part : report.unread)
    json.begin_object(JsonLayout::compact)
        .member("file", report.parts[part].file)
        .member("error", report.parts[part].error)
        .end_object();
  json.end_array().end_object();
}

void write_job_side(JsonWriter& json, std::string_view key, const RankPart& part) {
  json.key(key)
      .begin_object(JsonLayout::compact)
      .member("file", part.file)
      .member("device", part.device.value)
      .member("other_devices", part.other_devices)
      .member("moment", moment_kind_name(part.moment))
      .member("event", part.event.number())
      .member("held_bytes", part.held_bytes)
      .end_object();
}

void write_rank_line(JsonWriter& json, const RankLineChange& line) {
  json.begin_object(JsonLayout::compact)
      .member("line", line.line)
      .member("before_bytes", line.before_bytes)
      .member("after_bytes", line.after_bytes)
      .member("change_bytes", line.delta_bytes())
      .end_object();
}

void write_rank_gate(JsonWriter& json, const RankChange& rank) {
  const GateVerdict& verdict = *rank.verdict;
  json.key("gate").begin_object();
  write_judgement(json, verdict);
  json.key("lines").begin_array();
  for (const std::size_t line : verdict.lines)
    write_rank_line(json, rank.lines[line]);
  json.end_array().end_object();
}

void write_changed_rank(JsonWriter& json, const JobComparison& comparison, const RankChange& rank) {
  json.begin_object().member("rank", comparison.after.ranks[rank.after].rank);
  write_job_side(json, "before", comparison.before.parts[comparison.before.ranks[rank.before].part]);
  write_job_side(json, "after", comparison.after.parts[comparison.after.ranks[rank.after].part]);
  write_readings(json, rank.readings);
  json.key("changes").begin_array();
  for (const RankLineChange& line : rank.lines)
    write_rank_line(json, line);
  json.end_array();
  if (rank.verdict) write_rank_gate(json, rank);
  json.end_object();
}

void write_single_ranks(JsonWriter& json, std::string_view key, const JobReport& report,
                        const std::vector<std::size_t>& ranks) {
  json.key(key).begin_array();
  for (const std::size_t rank : ranks)
    json.begin_object(JsonLayout::compact)
        .member("rank", report.ranks[rank].rank)
        .member("file", report.parts[report.ranks[rank].part].file)
        .end_object();
  json.end_array();
}

} // namespace

std::string compare_jobs_json(const JobComparison& comparison, const JobNames& names) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.compare-jobs/1.0").member("headline", jobs_headline(comparison));
    write_job(json, "before", names.before, comparison.before);
    write_job(json, "after", names.after, comparison.after);
    json.member("match", comparison.match == FrameMatch::line ? "line" : "function")
        .member("match_is_chosen", comparison.is_match_chosen)
        .key("ranks")
        .begin_array();
    for (const RankChange& rank : comparison.ranks)
      write_changed_rank(json, comparison, rank);
    json.end_array();
    write_single_ranks(json, "only_before", comparison.before, comparison.only_before);
    write_single_ranks(json, "only_after", comparison.after, comparison.only_after);
    if (!comparison.ranks.empty() && comparison.ranks.front().verdict)
      json.key("gate")
          .begin_object()
          .member("limit", comparison.ranks.front().verdict->limits.given)
          .member("passed", comparison.is_passed())
          .member("text", jobs_exceeded_text(comparison).value_or(""))
          .end_object();
    json.member("notes", jobs_notes(comparison)).end_object();
  });
}

} // namespace memviz
