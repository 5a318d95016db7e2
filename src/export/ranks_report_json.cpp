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
  for (const LineMemory& held : lines) {
    json.begin_object(JsonLayout::compact).member("line", held.line).member("kind", kind_name(held.kind));
    json.member("bytes", held.bytes);
    if (held.peak_bytes) json.member("peak_bytes", *held.peak_bytes);
    json.end_object();
  }
  json.end_array();
}

/// Writes what a part holds at other moments and on other GPUs; nothing if that is nothing.
void write_other(JsonWriter& json, const RankPart& part) {
  if (!part.not_held.empty()) {
    json.key("not_held").begin_array();
    for (const LineMemory& line : part.not_held)
      json.begin_object(JsonLayout::compact)
          .member("line", line.line)
          .member("kind", kind_name(line.kind))
          .member("peak_bytes", line.bytes)
          .end_object();
    json.end_array();
  }
  if (part.elsewhere.empty()) return;
  json.key("elsewhere").begin_array();
  for (const ElsewhereMemory& other : part.elsewhere)
    json.begin_object(JsonLayout::compact)
        .member("device", other.device.value)
        .member("peak_bytes", other.peak_bytes)
        .member("line", other.line)
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

/// Writes nothing if no keepers were read at the moment of the part.
void write_keepers(JsonWriter& json, const RankPart& part) {
  if (part.keepers.empty()) return;
  json.key("keepers").begin_array();
  for (const KeeperMemory& one : part.keepers)
    json.begin_object(JsonLayout::compact).member("keeper", one.keeper).member("bytes", one.bytes).end_object();
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
  write_keepers(json, part);
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
    json.member("delta_bytes", difference.delta_bytes);
    json.member("activation_factor", difference.activation_factor).key("lines").begin_array();
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

void write_on_other_gpus(JsonWriter& json, const JobReport& report) {
  json.key("on_other_gpus").begin_array();
  for (const ElsewhereRank& other : report.on_other_gpus) {
    const JobRank& rank = report.ranks[other.rank];
    json.begin_object(JsonLayout::compact).member("rank", rank.rank).member("file", report.parts[rank.part].file);
    json.member("device", other.held.device.value).member("peak_bytes", other.held.peak_bytes);
    json.member("line", other.held.line).end_object();
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
  std::vector<RankDifference> of_two;
  if (report.second) of_two.push_back(*report.second);
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.ranks/1.3").member("headline", ranks_headline(report));
    json.member("files", report.parts.size()).member("unread", report.unread.size()).key("missing").begin_array();
    for (const auto& [first, last] : report.missing)
      json.begin_object(JsonLayout::compact).member("first", first).member("last", last).end_object();
    json.end_array();
    write_differences(json, report, "out_of_memory", report.failed);
    write_differences(json, report, "outliers", report.outliers);
    write_differences(json, report, "by_timing", report.by_timing);
    write_differences(json, report, "of_two", of_two);
    write_on_other_gpus(json, report);
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
    begin_document(json, "memviz.ranks-part/1.2").member("file", part.file);
    if (part.error.empty()) {
      json.member("rank", part.rank).member("ranks", part.ranks);
      write_figures(json, part);
      write_lines(json, "held", part.held);
      write_other(json, part);
      write_within(json, part);
      write_keepers(json, part);
    } else {
      json.member("error", part.error);
    }
    json.end_object();
  });
}

} // namespace memviz
