#include "memviz/baseline_json.hpp"

#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"
#include "export/kinds_json.hpp"
#include "export/origin_json.hpp"
#include "export/schemas.hpp"
#include "memviz/error.hpp"
#include "json/json_reader.hpp"
#include "json/object_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace memviz {

namespace {

constexpr std::string_view kBaselineSchema = "memviz.baseline/1.0";
constexpr std::size_t kMostBaselineBytes = 100'000;
constexpr std::size_t kLeastLineBytes = 50; ///< {"no_stack": "", "kind": "", "low": 0, "high": 0, "blocks": 0}

using BaselineEntry = std::pair<BaselineLine, BaselineShare>;

/// A moment as the file has it: the lines that hold most come first.
struct BaselineMomentInFile {
  BaselineMoment moment = {}; ///< without lines
  std::vector<BaselineEntry> lines = {};
};

struct BaselineDeviceInFile {
  DeviceId id = {};
  BaselineDevice device = {}; ///< without moments
  std::array<BaselineMomentInFile, 2> moments = {};
};

struct BaselineInFile {
  Baseline baseline = {}; ///< without devices
  std::vector<BaselineDeviceInFile> devices = {};
};

constexpr auto kByteRange = json_object<ByteRange>(
    {.meaning = "The least and the most among the recordings, bytes", .name = "range", .layout = JsonLayout::compact},
    member("low", "The least, bytes", &ByteRange::low), member("high", "The most, bytes", &ByteRange::high));

constexpr auto kCodeLine = json_object<BaselineLine>(
    {}, member("function", "Its function", &BaselineLine::function), member("file", "Its file", &BaselineLine::file),
    member("line", "Its number; absent where it is unknown", &BaselineLine::line).when([](const BaselineLine& line) {
      return line.line != kUnknownLine;
    }));

constexpr auto kBaselineShare = json_object<BaselineShare>(
    {},
    member("low", "The least that it holds in any of the recordings, bytes",
           part_of(&BaselineShare::bytes, &ByteRange::low)),
    member("high", "The most, bytes", part_of(&BaselineShare::bytes, &ByteRange::high)),
    member("blocks", "Allocations, in the recording in which it holds most", &BaselineShare::blocks));

constexpr auto kBaselineLine = json_object<BaselineEntry>(
    {.meaning =
         "A line of the user's code, or the reason why there is none, with a kind of memory. Those that hold most "
         "come first",
     .name = "line",
     .layout = JsonLayout::compact},
    members_of(kCodeLine, &BaselineEntry::first).when([](const BaselineEntry& entry) {
      return entry.first.no_stack.empty();
    }),
    member("no_stack", "Instead of function, file and line: why the memory has no stack",
           part_of(&BaselineEntry::first, &BaselineLine::no_stack))
        .if_any(),
    member("kind", "The kind of memory (docs/kinds.md)", part_of(&BaselineEntry::first, &BaselineLine::kind),
           kNamedKind),
    members_of(kBaselineShare, &BaselineEntry::second));

constexpr auto kBaselineTotals = json_object<MemoryTotals>(
    {}, member("reserved_bytes", "Reserved, in the recording that requests most", &MemoryTotals::reserved_bytes),
    member("allocated_bytes", "Allocated, in the recording that requests most", &MemoryTotals::allocated_bytes),
    member("pending_free_bytes", "Freed, but still used by a stream, in the recording that requests most",
           &MemoryTotals::pending_free_bytes),
    member("inactive_bytes", "Free within segments, in the recording that requests most",
           &MemoryTotals::inactive_bytes),
    member("requested_bytes", "Requested, in the recording that requests most", &MemoryTotals::requested_bytes));

constexpr auto kBaselineMoment = json_object<BaselineMomentInFile>(
    {.meaning = "A device at its peak or its end", .name = "moment"},
    member("event", "The last event that has happened; -1: none",
           part_of(&BaselineMomentInFile::moment, &BaselineMoment::event))
        .at_least(-1),
    members_of(kBaselineTotals, part_of(&BaselineMomentInFile::moment, &BaselineMoment::totals)),
    member("lines", "The lines that hold most", &BaselineMomentInFile::lines, kBaselineLine),
    member("rest", "All lines that are left out, so that the file stays below 100 KB",
           part_of(&BaselineMomentInFile::moment, &BaselineMoment::rest), kByteRange));

/// The form of a kind of device in baselines that may be from before `device_kind`.
struct MainMemoryForm {
  template <class Subject> void write(JsonWriter& json, const Subject& /*subject*/, DeviceKind kind) const {
    json.value(kind == DeviceKind::cpu);
  }
  void write_rules(SchemaWriter& writer, const ValueRule& rule) const {
    write_type(writer.json(), "boolean", rule.may_be_null);
  }
  void read(const Document& /*document*/, const Field& field, DeviceKind& kind) const {
    if (field.value == Value::boolean(true)) kind = DeviceKind::cpu;
  }
};

constexpr auto kBaselineFigures = json_object<BaselineDevice>(
    {}, member("is_cpu", "Whether it is main memory", &BaselineDevice::device_kind, MainMemoryForm()),
    member("device_kind", kDeviceKindMeaning, &BaselineDevice::device_kind, kNamedDeviceKind).not_in_older(),
    member("events", "Events of the first recording", part_of(&BaselineDevice::counts, &EventCounts::events)),
    member("allocs", "Allocations among them", part_of(&BaselineDevice::counts, &EventCounts::allocs)),
    member("alloc_bytes", "Bytes of these", part_of(&BaselineDevice::counts, &EventCounts::alloc_bytes)).of_any_size(),
    member("free_bytes", "Bytes of the frees", part_of(&BaselineDevice::counts, &EventCounts::free_bytes))
        .of_any_size(),
    member("peak_requested_bytes", "Requested at the peak", &BaselineDevice::peak_requested, kByteRange),
    member("end_requested_bytes", "Requested at the end", &BaselineDevice::end_requested, kByteRange),
    member("end_reserved_bytes", "Reserved at the end", &BaselineDevice::end_reserved, kByteRange));

template <std::size_t Index>
inline constexpr auto kMomentInFile = part_of(
    &BaselineDeviceInFile::moments, [](auto& moments) -> auto& { return moments[Index]; });

constexpr auto kBaselineDevice = json_object<BaselineDeviceInFile>(
    {.meaning = "A device", .name = "baseline_device"}, member("device", "", &BaselineDeviceInFile::id, kDeviceForm),
    members_of(kBaselineFigures, &BaselineDeviceInFile::device),
    member("peak", "The device at its peak", kMomentInFile<0>, kBaselineMoment),
    member("end", "The device at its end", kMomentInFile<1>, kBaselineMoment));

constexpr auto kEnvironment = json_object<Baseline>(
    {}, member("generation", "The versions of PyTorch that write such files", &Baseline::generation),
    member("rehearsal", "The made-up GPU that it was rehearsed on; empty for a real GPU", &Baseline::rehearsed_gpu),
    member("settings", "The allocator's settings", &Baseline::settings, kDictionary));

constexpr auto kBaselineFacts = json_object<Baseline>(
    {}, member("recordings", "The files that it was made of", &Baseline::recordings),
    member("most_of_left_out_bytes", "The most that a line holds that is left out", &Baseline::most_of_left_out_bytes),
    member(
        "environment", "How the first recording was made", [](auto& baseline) -> auto& { return baseline; },
        kEnvironment));

constexpr auto kBaseline = json_described<BaselineInFile>(
    {.schema = kBaselineSchema,
     .title = "memviz baseline",
     .meaning =
         "The memory of a commit by line and kind, as the range that its recordings span: `memviz baseline`, read "
         "by `memviz compare`"},
    members_of(kBaselineFacts, &BaselineInFile::baseline),
    member("devices", "All that are used", &BaselineInFile::devices, kBaselineDevice));

BaselineInFile in_file(const Baseline& baseline) {
  BaselineInFile file{.baseline = baseline};
  for (auto& [id, device] : std::exchange(file.baseline.devices, {})) {
    BaselineDeviceInFile& written = file.devices.emplace_back();
    written.id = id;
    for (std::size_t i = 0; i < device.moments.size(); ++i) {
      auto& lines = written.moments[i].lines;
      lines.assign(device.moments[i].lines.begin(), device.moments[i].lines.end());
      std::ranges::stable_sort(lines, [](const BaselineEntry& one, const BaselineEntry& other) {
        return one.second.bytes.high > other.second.bytes.high;
      });
      written.moments[i].moment = std::exchange(device.moments[i], {});
      written.moments[i].moment.lines.clear();
    }
    written.device = std::move(device);
  }
  return file;
}

/// Leaves out the smallest lines of each moment, so that at most `most_lines` remain.
void cut(BaselineInFile& file, std::size_t most_lines) {
  for (BaselineDeviceInFile& device : file.devices)
    for (BaselineMomentInFile& moment : device.moments)
      for (; moment.lines.size() > most_lines; moment.lines.pop_back()) {
        const ByteRange& bytes = moment.lines.back().second.bytes;
        moment.moment.rest.low += bytes.low;
        moment.moment.rest.high += bytes.high;
        file.baseline.most_of_left_out_bytes = std::max(file.baseline.most_of_left_out_bytes, bytes.high);
      }
}

/// Blocks are rebuilt, so a file specifies only their number.
constexpr std::uint64_t kMostBlocks = std::uint64_t{1} << 24U;

Baseline baseline_in(BaselineInFile file) {
  Baseline baseline = std::move(file.baseline);
  std::uint64_t blocks = 0;
  for (BaselineDeviceInFile& written : file.devices) {
    BaselineDevice& device = baseline.devices[written.id] = std::move(written.device);
    for (std::size_t i = 0; i < device.moments.size(); ++i) {
      device.moments[i] = std::move(written.moments[i].moment);
      for (auto& [line, share] : written.moments[i].lines) {
        blocks += std::min(share.blocks, kMostBlocks);
        if (blocks > kMostBlocks) throw Error("a baseline with more blocks than any recording has");
        share.recordings = 1;
        device.moments[i].lines[std::move(line)] = share;
      }
    }
  }
  return baseline;
}

} // namespace

std::string baseline_json(const Baseline& baseline) {
  BaselineInFile file = in_file(baseline);
  std::size_t most_lines = 1;
  for (const BaselineDeviceInFile& device : file.devices)
    for (const BaselineMomentInFile& moment : device.moments)
      most_lines = std::max(most_lines, moment.lines.size());
  most_lines = std::min(most_lines, kMostBaselineBytes / kLeastLineBytes);
  cut(file, most_lines);
  std::string text = document_text(kBaseline, file);
  while (text.size() > kMostBaselineBytes && most_lines > 1) {
    cut(file, most_lines = most_lines * 9 / 10);
    text = document_text(kBaseline, file);
  }
  if (text.size() > kMostBaselineBytes) throw Error("its names alone need more than the 100 KB of a baseline");
  return text;
}

std::string baseline_schema() {
  return schema_text(kBaseline);
}

bool is_baseline_json(std::string_view bytes) {
  constexpr std::size_t kHead = 64;
  return bytes.substr(0, kHead).find("\"memviz.baseline/") != std::string_view::npos;
}

Baseline read_baseline_json(std::string_view json) {
  const Document document = json::read(json);
  try {
    if (const std::string_view schema = document.text(document.get(document.root, "schema")); schema != kBaselineSchema)
      throw Error(fmt::format("a baseline of another version: {}, expected {}", schema, kBaselineSchema));
    BaselineInFile file;
    json::ObjectReader(document).read({document.root}, kBaseline.object, file);
    return baseline_in(std::move(file));
  } catch (const SchemaError& error) {
    throw Error(fmt::format("not a baseline that this memviz reads: {}", error.what()));
  }
}

} // namespace memviz
