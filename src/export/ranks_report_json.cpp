#include "memviz/ranks_report.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/device_json.hpp"
#include "memviz/ranks_words.hpp"

#include <string_view>

namespace memviz {
namespace {

std::string_view source_name(RankSource source) {
  switch (source) {
  case RankSource::file: return "file";
  case RankSource::pattern: return "pattern";
  case RankSource::name: return "name";
  case RankSource::varies: return "number that varies";
  case RankSource::coordinates: return "coordinates";
  case RankSource::none: break;
  }
  return "none";
}

void write_figures(JsonWriter& json, const RankPart& part) {
  json.member("device", part.device.value).member("other_devices", part.other_devices);
  json.member("moment", moment_kind_name(part.moment)).member("event", part.event.number());
  json.member("held_bytes", part.held_bytes);
  if (part.moment == MomentKind::oom) json.member("asked_bytes", part.asked_bytes).member("asked_by", part.asked_by);
  json.member("peak_bytes", part.peak_bytes).member("peak_event", part.peak_event.number());
  json.member("end_bytes", part.end_bytes).member("reserved_bytes", part.reserved_bytes);
  json.member("capacity_bytes", part.capacity_bytes).member("last_time_us", part.last_time_us);
  json.member("balanced", part.is_balanced).member("may_have_lost_events", part.may_have_lost_events);
}

void write_lines(JsonWriter& json, std::string_view key, const std::vector<LineMemory>& lines) {
  json.key(key).begin_array();
  for (const LineMemory& held : lines)
    json.begin_object(JsonLayout::compact)
        .member("line", held.line)
        .member("kind", kind_name(held.kind))
        .member("bytes", held.bytes)
        .end_object();
  json.end_array();
}

/// Writes nothing if no line holds more than half.
void write_within(JsonWriter& json, const RankPart& part) {
  if (part.within.empty()) return;
  json.key("within").begin_array();
  for (const LineMemory& inner : part.within)
    json.begin_object(JsonLayout::compact).member("line", inner.line).member("bytes", inner.bytes).end_object();
  json.end_array();
}

void write_rank(JsonWriter& json, const JobReport& report, const JobRank& rank) {
  const RankPart& part = report.parts[rank.part];
  json.begin_object(JsonLayout::compact).member("rank", rank.rank).member("rank_source", source_name(rank.source));
  json.member("file", part.file).key("other_files").begin_array();
  for (const std::size_t other : rank.other_parts)
    json.value(report.parts[other].file);
  json.end_array().member("group", rank.group);
  write_figures(json, part);
  const auto [kind, bytes] = largest_kind_of(part);
  json.member("largest_kind", kind_name(kind)).member("largest_kind_bytes", bytes);
  write_within(json, part);
  json.end_object();
}

void write_unread(JsonWriter& json, const RankPart& part) {
  json.begin_object(JsonLayout::compact).member("file", part.file).member("error", part.error).end_object();
}

void write_differences(JsonWriter& json, const JobReport& report, std::string_view key,
                       const std::vector<RankDifference>& differences) {
  json.key(key).begin_array();
  for (const RankDifference& difference : differences) {
    const JobRank& rank = report.ranks[difference.rank];
    json.begin_object().member("rank", rank.rank).member("file", report.parts[rank.part].file);
    json.member("delta_bytes", difference.delta_bytes).key("lines").begin_array();
    for (const LineDifference& line : difference.lines)
      json.begin_object(JsonLayout::compact)
          .member("line", line.line)
          .member("kind", kind_name(line.kind))
          .member("delta_bytes", line.delta_bytes)
          .end_object();
    json.end_array().end_object();
  }
  json.end_array();
}

void write_group(JsonWriter& json, const JobReport& report, const RankGroup& group) {
  json.begin_object().key("ranks").begin_array(JsonLayout::compact);
  for (const std::size_t rank : group.ranks)
    json.value(report.ranks[rank].rank);
  json.end_array().key("files").value(group.ranks.size());
  json.member("least_bytes", group.least_bytes).member("median_bytes", group.median_bytes);
  json.member("most_bytes", group.most_bytes);
  write_lines(json, "medians", group.medians);
  json.end_object();
}

std::string line_of(const std::function<void(JsonWriter&)>& write) {
  std::string line;
  JsonWriter json(line, JsonLayout::compact);
  write(json);
  return line + '\n';
}

} // namespace

std::string ranks_json(const JobReport& report) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.ranks/1.1").member("headline", ranks_headline(report));
    json.member("files", report.parts.size()).member("unread", report.unread.size()).key("missing").begin_array();
    for (const auto& [first, last] : report.missing)
      json.begin_object(JsonLayout::compact).member("first", first).member("last", last).end_object();
    json.end_array();
    write_differences(json, report, "out_of_memory", report.failed);
    write_differences(json, report, "outliers", report.outliers);
    write_differences(json, report, "by_timing", report.by_timing);
    json.key("groups").begin_array();
    for (const RankGroup& group : report.groups)
      write_group(json, report, group);
    json.end_array().key("ranks").begin_array();
    for (const JobRank& rank : report.ranks)
      write_rank(json, report, rank);
    json.end_array().key("unread_files").begin_array();
    for (const std::size_t part : report.unread)
      write_unread(json, report.parts[part]);
    json.end_array().key("left_out").begin_array();
    for (const std::size_t part : report.left_out)
      json.value(report.parts[part].file);
    json.end_array().member("notes", ranks_notes(report)).end_object();
  });
}

std::string ranks_ndjson(const JobReport& report) {
  std::string text;
  for (const JobRank& rank : report.ranks)
    text += line_of([&](JsonWriter& json) { write_rank(json, report, rank); });
  for (const std::size_t part : report.unread)
    text += line_of([&](JsonWriter& json) { write_unread(json, report.parts[part]); });
  return text;
}

std::string rank_part_json(const RankPart& part) {
  return line_of([&](JsonWriter& json) {
    begin_document(json, "memviz.ranks-part/1.0").member("file", part.file);
    if (part.error.empty()) {
      json.member("rank", part.rank).member("ranks", part.ranks);
      write_figures(json, part);
      write_lines(json, "held", part.held);
      write_within(json, part);
    } else {
      json.member("error", part.error);
    }
    json.end_object();
  });
}

} // namespace memviz
