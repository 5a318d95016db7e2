#include "memviz/baseline_json.hpp"

#include "base/json_object_schema.hpp"
#include "export/baseline_format.hpp"
#include "export/device_json.hpp"
#include "export/kinds_json.hpp"
#include "export/origin_json.hpp"
#include "export/schemas.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kMostBaselineBytes = 100'000;
constexpr std::size_t kLeastLineBytes = 50; ///< {"no_stack": "", "kind": "", "low": 0, "high": 0, "blocks": 0}

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

/// Returns the largest omitted line.
std::uint64_t left_out(const BaselineMoment& moment, std::size_t most_lines) {
  const std::vector<Ranked> lines = ranked(moment);
  return lines.size() > most_lines ? lines[most_lines].share->bytes.high : 0;
}

struct BaselineInJson {
  const Baseline& baseline;
  std::size_t most_lines;
};

std::uint64_t most_left_out(const BaselineInJson& in) {
  std::uint64_t most = in.baseline.most_of_left_out_bytes;
  for (const auto& [id, device] : in.baseline.devices)
    for (const BaselineMoment& moment : device.moments)
      most = std::max(most, left_out(moment, in.most_lines));
  return most;
}

constexpr auto kByteRange = json_object<ByteRange>(
    {.meaning = "The least and the most among the recordings, bytes", .name = "range", .layout = JsonLayout::compact},
    member("low", "The least, bytes", &ByteRange::low), member("high", "The most, bytes", &ByteRange::high));

std::optional<std::int64_t> line_number(const BaselineLine& line) {
  return line.line == kUnknownLine ? std::nullopt : std::optional(line.line);
}

constexpr auto kCodeLine = json_object<BaselineLine>(
    {}, member("function", "Its function", &BaselineLine::function), member("file", "Its file", &BaselineLine::file),
    member("line", "Its number; absent where it is unknown", line_number).if_any());

constexpr auto kBaselineLine = json_object<Ranked>(
    {.meaning =
         "A line of the user's code, or the reason why there is none, with a kind of memory. Those that hold most "
         "come first",
     .name = "line",
     .layout = JsonLayout::compact},
    members_of(
        kCodeLine, [](const Ranked& in) -> const auto& { return *in.line; })
        .when([](const Ranked& in) { return in.line->no_stack.empty(); }),
    member(
        "no_stack", "Instead of function, file and line: why the memory has no stack",
        [](const Ranked& in) -> const auto& { return in.line->no_stack; })
        .if_any(),
    member(
        "kind", "The kind of memory (docs/kinds.md)", [](const Ranked& in) { return in.line->kind; }, kNamedKind),
    member("low", "The least that it holds in any of the recordings, bytes",
           [](const Ranked& in) { return in.share->bytes.low; }),
    member("high", "The most, bytes", [](const Ranked& in) { return in.share->bytes.high; }),
    member("blocks", "Allocations, in the recording in which it holds most",
           [](const Ranked& in) { return in.share->blocks; }));

struct BaselineMomentInJson {
  const BaselineMoment& moment;
  std::vector<Ranked> lines;
  std::size_t written_lines;

  [[nodiscard]] std::span<const Ranked> first() const { return std::span(lines).first(written_lines); }
};

ByteRange rest_of(const BaselineMomentInJson& in) {
  ByteRange rest = in.moment.rest;
  for (const Ranked& line : std::span(in.lines).subspan(in.written_lines)) {
    rest.low += line.share->bytes.low;
    rest.high += line.share->bytes.high;
  }
  return rest;
}

constexpr auto kBaselineTotals = json_object<MemoryTotals>(
    {}, member("reserved_bytes", "Reserved, in the recording that requests most", &MemoryTotals::reserved_bytes),
    member("allocated_bytes", "Allocated, in the recording that requests most", &MemoryTotals::allocated_bytes),
    member("pending_free_bytes", "Freed, but still used by a stream, in the recording that requests most",
           &MemoryTotals::pending_free_bytes),
    member("inactive_bytes", "Free within segments, in the recording that requests most",
           &MemoryTotals::inactive_bytes),
    member("requested_bytes", "Requested, in the recording that requests most", &MemoryTotals::requested_bytes));

constexpr auto kBaselineMoment = json_object<BaselineMomentInJson>(
    {.meaning = "A device at its peak or its end", .name = "moment"},
    member("event", "The last event that has happened; -1: none",
           [](const BaselineMomentInJson& in) { return in.moment.event; })
        .at_least(-1),
    members_of(
        kBaselineTotals, [](const BaselineMomentInJson& in) -> const auto& { return in.moment.totals; }),
    member("lines", "The lines that hold most", &BaselineMomentInJson::first, kBaselineLine),
    member("rest", "All lines that are left out, so that the file stays below 100 KB", rest_of, kByteRange));

struct BaselineDeviceInJson {
  DeviceId id;
  const BaselineDevice& device;
  std::size_t most_lines;
};

template <std::size_t Index> BaselineMomentInJson moment_in_json(const BaselineDeviceInJson& in) {
  const BaselineMoment& moment = in.device.moments[Index];
  return {moment, ranked(moment), std::min(moment.lines.size(), in.most_lines)};
}
static_assert(kBaselineMoments.size() == 2);

constexpr auto kBaselineFigures = json_object<BaselineDevice>(
    {}, //
    member("is_cpu", "Whether it is main memory",
           [](const BaselineDevice& device) { return device.device_kind == DeviceKind::cpu; }),
    member("device_kind", kDeviceKindMeaning, &BaselineDevice::device_kind, kNamedDeviceKind).not_in_older(),
    member("events", "Events of the first recording", part_of(&BaselineDevice::counts, &EventCounts::events)),
    member("allocs", "Allocations among them", part_of(&BaselineDevice::counts, &EventCounts::allocs)),
    member("alloc_bytes", "Bytes of these", part_of(&BaselineDevice::counts, &EventCounts::alloc_bytes)),
    member("free_bytes", "Bytes of the frees", part_of(&BaselineDevice::counts, &EventCounts::free_bytes)),
    member("peak_requested_bytes", "Requested at the peak", &BaselineDevice::peak_requested, kByteRange),
    member("end_requested_bytes", "Requested at the end", &BaselineDevice::end_requested, kByteRange),
    member("end_reserved_bytes", "Reserved at the end", &BaselineDevice::end_reserved, kByteRange));

constexpr auto kBaselineDevice = json_object<BaselineDeviceInJson>(
    {.meaning = "A device", .name = "baseline_device"}, member("device", "", &BaselineDeviceInJson::id, kDeviceForm),
    members_of(
        kBaselineFigures, [](const BaselineDeviceInJson& in) -> const auto& { return in.device; }),
    member(kBaselineMoments[0], "The device at its peak", moment_in_json<0>, kBaselineMoment),
    member(kBaselineMoments[1], "The device at its end", moment_in_json<1>, kBaselineMoment));

constexpr auto kEnvironment = json_object<Baseline>(
    {}, member("generation", "The versions of PyTorch that write such files", &Baseline::generation),
    member("rehearsal", "The made-up GPU that it was rehearsed on; empty for a real GPU", &Baseline::rehearsed_gpu),
    member("settings", "The allocator's settings", &Baseline::settings, kDictionary));

constexpr auto kBaseline = json_described<BaselineInJson>(
    {.schema = kBaselineSchema,
     .title = "memviz baseline",
     .meaning =
         "The memory of a commit by line and kind, as the range that its recordings span: `memviz baseline`, read "
         "by `memviz compare`"},
    member(
        "recordings", "The files that it was made of",
        [](const BaselineInJson& in) -> const auto& { return in.baseline.recordings; }),
    member("most_of_left_out_bytes", "The most that a line holds that is left out", most_left_out),
    member(
        "environment", "How the first recording was made",
        [](const BaselineInJson& in) -> const auto& { return in.baseline; }, kEnvironment),
    member(
        "devices", "All that are used", [](const BaselineInJson& in) -> const auto& { return in.baseline.devices; },
        made_by(
            [](const BaselineInJson& in, const std::pair<const DeviceId, BaselineDevice>& device) {
              return BaselineDeviceInJson{device.first, device.second, in.most_lines};
            },
            kBaselineDevice)));

} // namespace

std::string baseline_json(const Baseline& baseline) {
  std::size_t most_lines = 1;
  for (const auto& [id, device] : baseline.devices)
    for (const BaselineMoment& moment : device.moments)
      most_lines = std::max(most_lines, moment.lines.size());
  most_lines = std::min(most_lines, kMostBaselineBytes / kLeastLineBytes);
  std::string text = document_text(kBaseline, {baseline, most_lines});
  while (text.size() > kMostBaselineBytes && most_lines > 1)
    text = document_text(kBaseline, {baseline, most_lines = most_lines * 9 / 10});
  if (text.size() > kMostBaselineBytes) throw Error("its names alone need more than the 100 KB of a baseline");
  return text;
}

std::string baseline_schema() {
  return schema_text(kBaseline);
}

} // namespace memviz
