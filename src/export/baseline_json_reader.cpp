#include "memviz/baseline_json.hpp"

#include "base/json_schema.hpp"
#include "export/baseline_format.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"
#include "value/field.hpp"
#include "json/json_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace memviz {

namespace {

/// The parts of a document, each of which must exist and have its type. All throwing members throw Error or
/// SchemaError.
class BaselineReader {
public:
  explicit BaselineReader(std::string_view text) : document_(json::read(text)) {}

  [[nodiscard]] Value root() const { return document_.root; }
  [[nodiscard]] Value at(Value dict, std::string_view key, Kind kind) const {
    const Value value = document_.get(dict, key);
    if (value.kind() != kind) fail(key);
    return value;
  }
  [[nodiscard]] std::string text(Value dict, std::string_view key) const {
    return std::string(document_.text(at(dict, key, Kind::text)));
  }
  [[nodiscard]] bool has(Value dict, std::string_view key) const {
    return document_.get(dict, key).kind() != Kind::unset;
  }
  [[nodiscard]] std::uint64_t bytes(Value dict, std::string_view key) const {
    const auto number = document_.as_unsigned(document_.get(dict, key));
    if (!number || *number > kMaxTotalBytes) fail(key);
    return *number;
  }
  [[nodiscard]] std::int64_t number(Value dict, std::string_view key) const {
    const auto number = document_.as_signed(document_.get(dict, key));
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

/// Blocks are rebuilt, so a file specifies only their number.
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
  // Baselines from before this key have no kind.
  if (reader.has(value, "device_kind"))
    device.device_kind = device_kind_with(reader.text(value, "device_kind")).value_or(DeviceKind::cuda);
  else if (reader.document().get(value, "is_cpu") == Value::boolean(true))
    device.device_kind = DeviceKind::cpu;
  device.counts.events = reader.bytes(value, "events");
  device.counts.allocs = reader.bytes(value, "allocs");
  device.counts.alloc_bytes = reader.bytes(value, "alloc_bytes");
  device.counts.free_bytes = reader.bytes(value, "free_bytes");
  device.peak_requested = reader.range(value, "peak_requested_bytes");
  device.end_requested = reader.range(value, "end_requested_bytes");
  device.end_reserved = reader.range(value, "end_reserved_bytes");
  for (std::size_t i = 0; i < kBaselineMoments.size(); ++i)
    device.moments[i] = moment_of(reader, reader.at(value, kBaselineMoments[i], Kind::dict), blocks);
  return device;
}

Baseline baseline_in(const BaselineReader& reader) {
  const Value root = reader.root();
  if (reader.text(root, "schema") != kBaselineSchema)
    throw Error("a baseline of another version: " + reader.text(root, "schema") + ", expected " +
                std::string(kBaselineSchema));
  Baseline baseline;
  reader.each(root, "recordings", [&](Value name) {
    if (name.kind() == Kind::text) baseline.recordings.emplace_back(reader.document().text(name));
  });
  baseline.most_of_left_out_bytes = reader.bytes(root, "most_of_left_out_bytes");
  const Value environment = reader.at(root, "environment", Kind::dict);
  baseline.generation = reader.text(environment, "generation");
  baseline.rehearsed_gpu = reader.text(environment, "rehearsal");
  reader.each_text(reader.at(environment, "settings", Kind::dict),
                   [&](std::string_view key, std::string_view value) { baseline.settings.emplace_back(key, value); });
  std::uint64_t blocks = 0;
  reader.each(root, "devices",
              [&](Value device) { baseline.devices[device_of(reader, device)] = read_device(reader, device, blocks); });
  return baseline;
}

} // namespace

bool is_baseline_json(std::string_view bytes) {
  constexpr std::size_t kHead = 64;
  return bytes.substr(0, kHead).find("\"memviz.baseline/") != std::string_view::npos;
}

Baseline read_baseline_json(std::string_view json) {
  const BaselineReader reader(json);
  try {
    return baseline_in(reader);
  } catch (const SchemaError& error) {
    throw Error(fmt::format("not a baseline that this memviz reads: {}", error.what()));
  }
}

} // namespace memviz
