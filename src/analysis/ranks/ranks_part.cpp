#include "analysis/tree/frame_order.hpp"
#include "analysis/tree/user_lines.hpp"
#include "base/printable.hpp"
#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "memviz/ranks.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace memviz {
namespace {

/// Returns the device that ran out of memory, else the one with the highest peak; null if there is none.
const DeviceState* main_device(const MemoryState& state) {
  const DeviceState* best = nullptr;
  const auto failed = [](const DeviceState& device) { return device.moment.kind == MomentKind::oom; };
  for (const DeviceState& device : state.devices) {
    if (is_host(device.device)) continue;
    const bool is_better =
        best == nullptr || (failed(device) && !failed(*best)) ||
        (failed(device) == failed(*best) && device.figures.peak_requested_bytes > best->figures.peak_requested_bytes);
    if (is_better) best = &device;
  }
  return best;
}

bool holds_memory(const DeviceState& device) {
  return device.figures.peak_requested_bytes > 0 || device.figures.end_reserved_bytes > 0;
}

std::optional<std::uint64_t> capacity_of(const Recording& recording, DeviceId device) {
  for (const MeasuredDevice& measured : recording.measured)
    if (measured.device == device && measured.total_bytes) return measured.total_bytes;
  return recording.origin.rehearsal ? recording.origin.rehearsal->total_bytes : std::nullopt;
}

constexpr std::size_t kLineColumns = 100;

/// Returns the text without the address that C++ frames have as their line: "at::native::sum libtorch_cpu.so:34082790".
std::string line_text(const std::string& label) {
  const std::size_t place = label.rfind(' ');
  const bool is_address = place != std::string::npos && label.find(".so:", place) != std::string::npos;
  return elided(is_address ? label.substr(0, place) : label, kLineColumns);
}

/// Returns the line of the error, if the device's moment is an error; "" if it has no stack.
std::string asking_line(const FrameTable& frames, const DeviceState& device) {
  const auto& events = device.around.events;
  const auto error = std::ranges::find(events.rbegin(), events.rend(), Action::oom, &Event::action);
  if (device.moment.kind != MomentKind::oom || error == events.rend() || frames.stack(error->stack).empty()) return "";
  return line_text(node_label(frames, user_line_of(frames, error->stack)));
}

/// Returns the bytes of a text in JSON.
std::size_t json_bytes(std::string_view text) {
  const auto is_escaped = [](char character) { return character == '"' || character == '\\'; };
  return text.size() + static_cast<std::size_t>(std::ranges::count_if(text, is_escaped));
}

/// The lines of a device at its moment and at others, with labels of the same set of keys.
struct DeviceLines {
  std::vector<UserLine> held;
  std::vector<std::pair<NodeKey, LinePeak>> not_held; ///< largest first
  std::vector<std::string> labels;                    ///< of held, then of not_held
  std::vector<std::uint64_t> peak_bytes;              ///< of held
};

/// Returns, by line, the memory in use at the moment that no recorded alloc made: LinePeaks does not contain it.
std::map<NodeKey, std::uint64_t> older_bytes(const MemoryState& state, DeviceId device) {
  std::map<NodeKey, std::uint64_t> older;
  UserLines lines(state);
  for (const Segment& segment : state.segments_of(device))
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i)
      if (state.blocks[i].is_active() && !state.facts[i].history.is_explained())
        older[lines.line_of(device, i)] += state.blocks[i].requested_bytes;
  return older;
}

DeviceLines lines_of_device(const MemoryState& state, DeviceId device, const LinePeaks& peaks) {
  constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20U;
  DeviceLines lines{.held = rank_user_lines(state, device), .not_held = {}, .labels = {}, .peak_bytes = {}};
  std::map<NodeKey, LinePeak> highest = peaks.of(device);
  for (const auto& [line, bytes] : older_bytes(state, device))
    highest[line].bytes += bytes;
  std::vector<NodeKey> keys;
  for (const UserLine& line : lines.held) {
    keys.push_back(line.key);
    const auto own = highest.find(line.key);
    lines.peak_bytes.push_back(std::max(line.amount.bytes, own == highest.end() ? 0 : own->second.bytes));
    if (own != highest.end()) highest.erase(own);
  }
  for (const auto& [line, peak] : highest)
    if (peak.bytes >= kLeastBytes) lines.not_held.emplace_back(line, peak);
  const FrameOrder order(state.frames());
  std::ranges::sort(lines.not_held, [&](const auto& one, const auto& other) {
    return one.second.bytes != other.second.bytes ? one.second.bytes > other.second.bytes
                                                  : order.is_before(one.first, other.first);
  });
  for (const auto& [line, peak] : lines.not_held)
    keys.push_back(line);
  lines.labels = node_labels(state.frames(), keys);
  for (std::string& label : lines.labels)
    label = line_text(label);
  return lines;
}

constexpr std::size_t kEntryBytes = 50; // of JSON, around the text
constexpr std::size_t kPeakBytes = 25;

/// Returns the largest lines, as many as there is room for; the rest by kind.
std::vector<LineMemory> held_of(const DeviceLines& lines, std::size_t most_text_bytes) {
  std::vector<LineMemory> held;
  std::array<std::uint64_t, kMemoryKinds> rest{};
  std::size_t written = 0;
  for (std::size_t i = 0; i < lines.held.size(); ++i) {
    const KindShares& shares = lines.held[i].kinds;
    const auto kinds =
        std::ranges::count_if(kKindLayers, [&](MemoryKind kind) { return amount_of_kind(shares, kind).bytes > 0; });
    written += static_cast<std::size_t>(kinds) * (json_bytes(lines.labels[i]) + kEntryBytes) + kPeakBytes;
    std::optional<std::uint64_t> peak_bytes = lines.peak_bytes[i];
    for (const MemoryKind kind : kKindLayers) {
      const std::uint64_t bytes = amount_of_kind(shares, kind).bytes;
      if (bytes == 0) continue;
      if (written <= most_text_bytes)
        held.push_back({lines.labels[i], kind, bytes, std::exchange(peak_bytes, std::nullopt)});
      else
        rest.at(static_cast<std::size_t>(kind)) += bytes;
    }
  }
  for (const MemoryKind kind : kKindLayers)
    if (const std::uint64_t bytes = rest.at(static_cast<std::size_t>(kind)); bytes > 0)
      held.push_back({"", kind, bytes});
  return held;
}

/// Returns the largest lines that hold nothing at the moment, as many as there is room for.
std::vector<LineMemory> not_held_of(const DeviceLines& lines, std::size_t most_text_bytes) {
  std::vector<LineMemory> not_held;
  std::size_t written = 0;
  for (std::size_t i = 0; i < lines.not_held.size(); ++i) {
    const std::string& label = lines.labels[lines.held.size() + i];
    written += json_bytes(label) + kEntryBytes;
    if (written > most_text_bytes) break;
    const LinePeak& peak = lines.not_held[i].second;
    not_held.push_back({label, peak.is_communication ? MemoryKind::communication : MemoryKind::unknown, peak.bytes});
  }
  return not_held;
}

/// Returns what the process holds on its other GPUs.
std::vector<ElsewhereMemory> elsewhere_of(const MemoryState& state, const DeviceState& main) {
  constexpr std::size_t kMostNamed = 16;
  std::vector<ElsewhereMemory> elsewhere;
  for (const DeviceState& other : state.devices) {
    if (&other == &main || is_host(other.device) || !holds_memory(other) || elsewhere.size() == kMostNamed) continue;
    const std::vector<UserLine> lines = rank_user_lines(state, other.device);
    const bool has_line = !lines.empty() && is_frame(lines.front().key);
    elsewhere.push_back({other.device, other.figures.peak_requested_bytes,
                         has_line ? line_text(node_label(state.frames(), lines.front().key)) : ""});
  }
  return elsewhere;
}

} // namespace

RankPart part_of(const std::string& file, const MemoryState& state, const LinePeaks& peaks,
                 std::size_t most_text_bytes) {
  const Recording& recording = *state.recording;
  const DeviceState* const device = main_device(state);
  if (device == nullptr) return unread_part(file, "holds no device memory");
  RankPart part{.file = file, .rank = recording.origin.rank, .device = device->device};
  if (recording.origin.rehearsal) part.ranks = recording.origin.rehearsal->ranks;
  const DeviceFigures& figures = device->figures;
  part.other_devices = static_cast<std::uint64_t>(std::ranges::count_if(state.devices, [&](const DeviceState& other) {
    return &other != device && !is_host(other.device) && holds_memory(other);
  }));
  part.elsewhere = elsewhere_of(state, *device);
  part.moment = device->moment.kind;
  part.event = device->moment.event;
  part.held_bytes = figures.requested_bytes;
  part.asked_by = asking_line(state.frames(), *device);
  part.asked_bytes = device->moment.asked_bytes;
  part.peak_bytes = figures.peak_requested_bytes;
  part.peak_event = device->peak_event;
  part.end_bytes = figures.end_live_bytes();
  part.reserved_bytes = figures.end_reserved_bytes;
  part.capacity_bytes = capacity_of(recording, device->device);
  part.last_time_us = figures.last_time_us;
  part.is_balanced = figures.balanced();
  part.may_have_lost_events = figures.may_have_lost_events;
  const DeviceLines lines = lines_of_device(state, device->device, peaks);
  // Held memory is the answer of most commands; what other moments held is compared only where there is room.
  part.held = held_of(lines, most_text_bytes - most_text_bytes / 4);
  part.not_held = not_held_of(lines, most_text_bytes / 4);
  if (!lines.held.empty())
    for (const InnerLine& inner : lines.held.front().within)
      part.within.push_back({line_text(node_label(state.frames(), inner.frame)), {}, inner.amount.bytes});
  return part;
}

std::pair<MemoryKind, std::uint64_t> largest_kind_of(const RankPart& part) {
  std::array<std::uint64_t, kMemoryKinds> bytes{};
  for (const LineMemory& held : part.held)
    bytes.at(static_cast<std::size_t>(held.kind)) += held.bytes;
  MemoryKind largest = MemoryKind::unknown;
  std::uint64_t most = 0;
  for (const MemoryKind kind : kKindLayers) {
    const std::uint64_t of_kind = bytes.at(static_cast<std::size_t>(kind));
    if (of_kind <= most || (kind == MemoryKind::unknown && most > 0)) continue;
    largest = kind;
    most = of_kind;
  }
  return {largest, most};
}

RankPart unread_part(const std::string& file, std::string_view reason) {
  constexpr std::size_t kReasonColumns = 300;
  return {.file = file, .error = elided(reason, kReasonColumns)};
}

} // namespace memviz
