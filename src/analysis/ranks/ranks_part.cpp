#include "base/printable.hpp"
#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "memviz/ranks.hpp"

#include <algorithm>
#include <array>

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

/// Returns the largest lines, as many as there is room for; the rest by kind.
std::vector<LineMemory> held_of(const MemoryState& state, const std::vector<UserLine>& lines,
                                std::size_t most_text_bytes) {
  constexpr std::size_t kEntryBytes = 50; // around the text
  std::vector<LineMemory> held;
  std::vector<NodeKey> keys;
  for (const UserLine& line : lines)
    keys.push_back(line.key);
  const std::vector<std::string> labels = node_labels(state.frames(), keys);
  std::array<std::uint64_t, kMemoryKinds> rest{};
  std::size_t written = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string label = line_text(labels[i]);
    const auto kinds = std::ranges::count_if(
        kKindLayers, [&](MemoryKind kind) { return amount_of_kind(lines[i].kinds, kind).bytes > 0; });
    written += static_cast<std::size_t>(kinds) * (json_bytes(label) + kEntryBytes);
    for (const MemoryKind kind : kKindLayers) {
      const std::uint64_t bytes = amount_of_kind(lines[i].kinds, kind).bytes;
      if (bytes == 0) continue;
      if (written <= most_text_bytes)
        held.push_back({label, kind, bytes});
      else
        rest.at(static_cast<std::size_t>(kind)) += bytes;
    }
  }
  for (const MemoryKind kind : kKindLayers)
    if (const std::uint64_t bytes = rest.at(static_cast<std::size_t>(kind)); bytes > 0)
      held.push_back({"", kind, bytes});
  return held;
}

} // namespace

RankPart part_of(const std::string& file, const MemoryState& state, std::size_t most_text_bytes) {
  const Recording& recording = *state.recording;
  const DeviceState* const device = main_device(state);
  if (device == nullptr) return unread_part(file, "holds no device memory");
  RankPart part{.file = file, .rank = recording.origin.rank, .device = device->device};
  if (recording.origin.rehearsal) part.ranks = recording.origin.rehearsal->ranks;
  const DeviceFigures& figures = device->figures;
  part.other_devices = static_cast<std::uint64_t>(std::ranges::count_if(state.devices, [&](const DeviceState& other) {
    return &other != device && !is_host(other.device) && holds_memory(other);
  }));
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
  const std::vector<UserLine> lines = rank_user_lines(state, device->device);
  part.held = held_of(state, lines, most_text_bytes);
  if (!lines.empty())
    for (const InnerLine& inner : lines.front().within)
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
