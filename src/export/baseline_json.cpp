#include "memviz/baseline_json.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/baseline_format.hpp"
#include "export/device_json.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kMostBaselineBytes = 100'000;
constexpr std::size_t kLeastLineBytes = 50; ///< {"no_stack": "", "kind": "", "low": 0, "high": 0, "blocks": 0}

void write_range(JsonWriter& json, std::string_view name, const ByteRange& range) {
  json.key(name).begin_object(JsonLayout::compact).member("low", range.low).member("high", range.high).end_object();
}

struct Ranked {
  const BaselineLine* line;
  const BaselineShare* share;
};

/// The lines that hold most come first.
std::vector<Ranked> ranked(const BaselineMoment& moment) {
  std::vector<Ranked> lines;
  for (const auto& [line, share] : moment.lines)
    lines.push_back({&line, &share});
  std::stable_sort(lines.begin(), lines.end(), [](const Ranked& one, const Ranked& other) {
    return one.share->bytes.high > other.share->bytes.high;
  });
  return lines;
}

void write_line(JsonWriter& json, const Ranked& ranked) {
  const auto& [line, share] = ranked;
  json.begin_object(JsonLayout::compact);
  if (line->no_stack.empty()) {
    json.member("function", line->function).member("file", line->file);
    if (line->line != kUnknownLine) json.member("line", line->line);
  } else {
    json.member("no_stack", line->no_stack);
  }
  json.member("kind", kind_name(line->kind)).member("low", share->bytes.low).member("high", share->bytes.high);
  json.member("blocks", share->blocks).end_object();
}

void write_moment(JsonWriter& json, std::string_view name, const BaselineMoment& moment, std::size_t most_lines) {
  json.key(name).begin_object().member("event", moment.event);
  write_totals(json, moment.totals).member("requested_bytes", moment.totals.requested_bytes);
  const std::vector<Ranked> lines = ranked(moment);
  ByteRange rest = moment.rest;
  json.key("lines").begin_array();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i < most_lines) {
      write_line(json, lines[i]);
      continue;
    }
    rest.low += lines[i].share->bytes.low;
    rest.high += lines[i].share->bytes.high;
  }
  json.end_array();
  write_range(json, "rest", rest);
  json.end_object();
}

/// Returns the largest omitted line.
std::uint64_t left_out(const BaselineMoment& moment, std::size_t most_lines) {
  const std::vector<Ranked> lines = ranked(moment);
  return lines.size() > most_lines ? lines[most_lines].share->bytes.high : 0;
}

void write_device(JsonWriter& json, DeviceId id, const BaselineDevice& device, std::size_t most_lines) {
  write_device_key(json.begin_object(), id)
      .member("is_cpu", device.device_kind == DeviceKind::cpu)
      .member("device_kind", words_of(device.device_kind).key);
  json.member("events", device.counts.events).member("allocs", device.counts.allocs);
  json.member("alloc_bytes", device.counts.alloc_bytes).member("free_bytes", device.counts.free_bytes);
  write_range(json, "peak_requested_bytes", device.peak_requested);
  write_range(json, "end_requested_bytes", device.end_requested);
  write_range(json, "end_reserved_bytes", device.end_reserved);
  for (std::size_t i = 0; i < kBaselineMoments.size(); ++i)
    write_moment(json, kBaselineMoments[i], device.moments[i], most_lines);
  json.end_object();
}

std::string json_of_lines(const Baseline& baseline, std::size_t most_lines) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, kBaselineSchema).member("recordings", baseline.recordings);
    std::uint64_t most_left_out = baseline.most_of_left_out_bytes;
    for (const auto& [id, device] : baseline.devices)
      for (const BaselineMoment& moment : device.moments)
        most_left_out = std::max(most_left_out, left_out(moment, most_lines));
    json.member("most_of_left_out_bytes", most_left_out);
    json.key("environment")
        .begin_object()
        .member("generation", baseline.generation)
        .member("rehearsal", baseline.rehearsed_gpu);
    json.key("settings").begin_object();
    for (const auto& [key, value] : baseline.settings)
      json.member(key, value);
    json.end_object().end_object().key("devices").begin_array();
    for (const auto& [id, device] : baseline.devices)
      write_device(json, id, device, most_lines);
    json.end_array().end_object();
  });
}

} // namespace

std::string baseline_json(const Baseline& baseline) {
  std::size_t most_lines = 1;
  for (const auto& [id, device] : baseline.devices)
    for (const BaselineMoment& moment : device.moments)
      most_lines = std::max(most_lines, moment.lines.size());
  most_lines = std::min(most_lines, kMostBaselineBytes / kLeastLineBytes);
  std::string text = json_of_lines(baseline, most_lines);
  while (text.size() > kMostBaselineBytes && most_lines > 1)
    text = json_of_lines(baseline, most_lines = most_lines * 9 / 10);
  if (text.size() > kMostBaselineBytes) throw Error("its names alone need more than the 100 KB of a baseline");
  return text;
}

} // namespace memviz
