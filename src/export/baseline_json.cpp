#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/device_json.hpp"
#include "memviz/baseline.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"
#include "json/json_reader.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace memviz {

namespace {

constexpr std::size_t kMostBaselineBytes = 100'000;
constexpr std::array<std::string_view, 2> kMoments{"peak", "end"};
constexpr std::string_view kSchema = "memviz.baseline/1.0";

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

/// The largest line that is left out.
std::uint64_t left_out(const BaselineMoment& moment, std::size_t most_lines) {
  const std::vector<Ranked> lines = ranked(moment);
  return lines.size() > most_lines ? lines[most_lines].share->bytes.high : 0;
}

void write_device(JsonWriter& json, DeviceId id, const BaselineDevice& device, std::size_t most_lines) {
  write_device_key(json.begin_object(), id).member("is_cpu", device.is_cpu);
  json.member("events", device.counts.events).member("allocs", device.counts.allocs);
  json.member("alloc_bytes", device.counts.alloc_bytes).member("free_bytes", device.counts.free_bytes);
  write_range(json, "peak_requested_bytes", device.peak_requested);
  write_range(json, "end_requested_bytes", device.end_requested);
  write_range(json, "end_reserved_bytes", device.end_reserved);
  for (std::size_t i = 0; i < kMoments.size(); ++i)
    write_moment(json, kMoments[i], device.moments[i], most_lines);
  json.end_object();
}

/// The parts of a document, each of which must be there and of its type.
class BaselineReader {
public:
  explicit BaselineReader(std::string_view text) : document_(json::read(text)) {}

  [[nodiscard]] Value root() const { return document_.root; }
  [[nodiscard]] Value at(Value dict, std::string_view key, Kind kind) const {
    const Value value = dict.kind() == Kind::dict ? document_.get(dict, key) : Value();
    if (value.kind() != kind) fail(key);
    return value;
  }
  [[nodiscard]] std::string text(Value dict, std::string_view key) const {
    return std::string(document_.text(at(dict, key, Kind::text)));
  }
  [[nodiscard]] bool has(Value dict, std::string_view key) const {
    return dict.kind() == Kind::dict && document_.get(dict, key).kind() != Kind::unset;
  }
  [[nodiscard]] std::uint64_t bytes(Value dict, std::string_view key) const {
    const auto number = dict.kind() == Kind::dict ? document_.as_unsigned(document_.get(dict, key)) : std::nullopt;
    if (!number || *number > kMaxTotalBytes) fail(key);
    return *number;
  }
  [[nodiscard]] std::int64_t number(Value dict, std::string_view key) const {
    const auto number = dict.kind() == Kind::dict ? document_.as_signed(document_.get(dict, key)) : std::nullopt;
    if (!number) fail(key);
    return *number;
  }
  [[nodiscard]] ByteRange range(Value dict, std::string_view key) const {
    const Value value = at(dict, key, Kind::dict);
    return {bytes(value, "low"), bytes(value, "high")};
  }
  template <class Take> void each(Value dict, std::string_view key, const Take& take) const {
    document_.for_each(at(dict, key, Kind::list), [&](Value item) {
      take(item);
      return true;
    });
  }
  template <class Take> void each_text(Value dict, const Take& take) const {
    document_.for_each_item(dict, [&](Value key, Value value) {
      if (key.kind() == Kind::text && value.kind() == Kind::text) take(document_.text(key), document_.text(value));
    });
  }
  [[nodiscard]] const Document& document() const { return document_; }

private:
  [[noreturn]] static void fail(std::string_view key) {
    throw Error("not a baseline that this memviz reads: '" + std::string(key) + "' is missing or of another type");
  }

  Document document_;
};

BaselineLine line_of(const BaselineReader& reader, Value value) {
  BaselineLine line;
  line.kind = kind_of_name(reader.text(value, "kind")).value_or(MemoryKind::unknown);
  if (reader.has(value, "no_stack")) {
    line.no_stack = reader.text(value, "no_stack");
    return line;
  }
  line.function = reader.text(value, "function");
  line.file = reader.text(value, "file");
  if (reader.has(value, "line")) line.line = reader.number(value, "line");
  return line;
}

/// Blocks are made anew, so a file says how many in all.
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 24U;

BaselineMoment moment_of(const BaselineReader& reader, Value value, std::uint64_t& blocks) {
  BaselineMoment moment;
  moment.event = reader.number(value, "event");
  moment.totals.reserved_bytes = reader.bytes(value, "reserved_bytes");
  moment.totals.allocated_bytes = reader.bytes(value, "allocated_bytes");
  moment.totals.pending_free_bytes = reader.bytes(value, "pending_free_bytes");
  moment.totals.inactive_bytes = reader.bytes(value, "inactive_bytes");
  moment.totals.requested_bytes = reader.bytes(value, "requested_bytes");
  reader.each(value, "lines", [&](Value item) {
    const BaselineShare share{{reader.bytes(item, "low"), reader.bytes(item, "high")}, reader.bytes(item, "blocks"), 1};
    blocks += std::min(share.blocks, kMostBlocks);
    if (blocks > kMostBlocks) throw Error("a baseline with more blocks than any recording has");
    moment.lines[line_of(reader, item)] = share;
  });
  moment.rest = reader.range(value, "rest");
  return moment;
}

DeviceId device_of(const BaselineReader& reader, Value value) {
  if (reader.document().get(value, "device").kind() == Kind::text) return kHostDevice;
  const std::uint64_t number = reader.bytes(value, "device");
  if (number >= kHostDevice.value) throw Error("a baseline with a device that no machine has");
  return {static_cast<decltype(DeviceId::value)>(number)};
}

BaselineDevice read_device(const BaselineReader& reader, Value value, std::uint64_t& blocks) {
  BaselineDevice device;
  device.is_cpu = reader.document().get(value, "is_cpu") == Value::boolean(true);
  device.counts.events = reader.bytes(value, "events");
  device.counts.allocs = reader.bytes(value, "allocs");
  device.counts.alloc_bytes = reader.bytes(value, "alloc_bytes");
  device.counts.free_bytes = reader.bytes(value, "free_bytes");
  device.peak_requested = reader.range(value, "peak_requested_bytes");
  device.end_requested = reader.range(value, "end_requested_bytes");
  device.end_reserved = reader.range(value, "end_reserved_bytes");
  for (std::size_t i = 0; i < kMoments.size(); ++i)
    device.moments[i] = moment_of(reader, reader.at(value, kMoments[i], Kind::dict), blocks);
  return device;
}

} // namespace

std::string Baseline::json(std::size_t most_lines) const {
  return json_document([&](JsonWriter& json) {
    begin_document(json, kSchema).member("recordings", recordings_);
    std::uint64_t most_left_out = most_of_left_out_;
    for (const auto& [id, device] : devices_)
      for (const BaselineMoment& moment : device.moments)
        most_left_out = std::max(most_left_out, left_out(moment, most_lines));
    json.member("most_of_left_out_bytes", most_left_out);
    json.key("environment").begin_object().member("generation", generation_).member("rehearsal", rehearsal_);
    json.key("settings").begin_object();
    for (const auto& [key, value] : settings_)
      json.member(key, value);
    json.end_object().end_object().key("devices").begin_array();
    for (const auto& [id, device] : devices_)
      write_device(json, id, device, most_lines);
    json.end_array().end_object();
  });
}

std::string Baseline::json() const {
  std::size_t most_lines = 1;
  for (const auto& [id, device] : devices_)
    for (const BaselineMoment& moment : device.moments)
      most_lines = std::max(most_lines, moment.lines.size());
  std::string text = json(most_lines);
  while (text.size() > kMostBaselineBytes && most_lines > 1)
    text = json(most_lines = most_lines * 9 / 10);
  if (text.size() > kMostBaselineBytes) throw Error("its names alone take more than the 100 KB of a baseline");
  return text;
}

bool Baseline::is_one(std::string_view bytes) {
  constexpr std::size_t kHead = 64;
  return bytes.substr(0, kHead).find("\"memviz.baseline/") != std::string_view::npos;
}

Baseline Baseline::read(std::string_view json) {
  const BaselineReader reader(json);
  const Value root = reader.root();
  if (reader.text(root, "schema") != kSchema)
    throw Error("a baseline of another version: " + reader.text(root, "schema") + ", expected " + std::string(kSchema));
  Baseline baseline;
  reader.each(root, "recordings", [&](Value name) {
    if (name.kind() == Kind::text) baseline.recordings_.emplace_back(reader.document().text(name));
  });
  baseline.most_of_left_out_ = reader.bytes(root, "most_of_left_out_bytes");
  const Value environment = reader.at(root, "environment", Kind::dict);
  baseline.generation_ = reader.text(environment, "generation");
  baseline.rehearsal_ = reader.text(environment, "rehearsal");
  reader.each_text(reader.at(environment, "settings", Kind::dict),
                   [&](std::string_view key, std::string_view value) { baseline.settings_.emplace_back(key, value); });
  std::uint64_t blocks = 0;
  reader.each(root, "devices", [&](Value device) {
    baseline.devices_[device_of(reader, device)] = read_device(reader, device, blocks);
  });
  return baseline;
}

} // namespace memviz
