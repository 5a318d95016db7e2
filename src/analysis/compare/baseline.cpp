#include "memviz/baseline.hpp"

#include "memviz/flame.hpp"
#include "memviz/label.hpp"
#include "memviz/rehearsal.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <variant>

namespace memviz {

namespace {

/// `seen`: the number of earlier recordings.
void widen(ByteRange& range, std::uint64_t bytes, std::uint64_t seen) {
  range.low = seen == 0 ? bytes : std::min(range.low, bytes);
  range.high = std::max(range.high, bytes);
}

/// The maximum bytes of a function and of a file: one text may be in every line, of which a file has one in 30 bytes.
constexpr std::size_t kMostFunctionBytes = 256;
constexpr std::size_t kMostFileBytes = 512;

BaselineLine line_of(const FrameTable& frames, const NodeKey& key, MemoryKind kind) {
  const auto* const frame = std::get_if<FrameId>(&key);
  if (frame == nullptr) return {.no_stack = node_label(frames, key), .kind = kind};
  return {.function = std::string(frames.name(*frame, kMostFunctionBytes)),
          .file = std::string(frames.filename(*frame, kMostFileBytes)),
          .line = frames.frame(*frame).line,
          .kind = kind};
}

/// Returns the bytes of each line and kind of one recording.
std::map<BaselineLine, Amount> lines_of(const MemoryState& state, DeviceId device) {
  std::map<BaselineLine, Amount> lines;
  for (const UserLine& line : rank_user_lines(state, device)) {
    Amount unknown = line.amount;
    for (const KindShare& share : line.kinds) {
      lines[line_of(state.frames(), line.key, share.kind.kind)] += share.amount;
      unknown = {unknown.bytes - std::min(unknown.bytes, share.amount.bytes),
                 unknown.blocks - std::min(unknown.blocks, share.amount.blocks)};
    }
    if (unknown.bytes > 0) lines[line_of(state.frames(), line.key, MemoryKind::unknown)] += unknown;
  }
  return lines;
}

void add_moment(BaselineMoment& moment, const MemoryState& state, const DeviceState& device) {
  if (device.figures.requested_bytes >= moment.totals.requested_bytes) {
    moment.totals = static_cast<const MemoryTotals&>(device.figures);
    moment.event = device.moment.event.number();
  }
  std::map<BaselineLine, Amount> lines = lines_of(state, device.device);
  while (!lines.empty()) {
    auto entry = lines.extract(lines.begin());
    const Amount amount = entry.mapped();
    BaselineShare& share = moment.lines[std::move(entry.key())];
    if (amount.bytes >= share.bytes.high) share.blocks = amount.blocks;
    widen(share.bytes, amount.bytes, share.recordings);
    ++share.recordings;
  }
}

/// A recording without the line holds 0 bytes in it.
void complete(BaselineMoment& moment, std::uint64_t recordings) {
  for (auto& [line, share] : moment.lines)
    if (share.recordings < recordings) share.bytes.low = 0;
}

std::string gpu_of(const Rehearsal& rehearsal) {
  for (const std::string& name : {rehearsal.gpu, rehearsal.profile})
    if (!name.empty()) return name;
  return "unknown";
}

} // namespace

void add_recording(Baseline& baseline, const std::string& name, const MemoryState& at_peak, const MemoryState& at_end) {
  const Recording& recording = *at_end.recording;
  if (baseline.recordings.empty()) {
    baseline.generation = recording.origin.generation;
    if (recording.origin.rehearsal) baseline.rehearsed_gpu = gpu_of(*recording.origin.rehearsal);
    for (const auto& [key, value] : recording.settings)
      baseline.settings.emplace_back(recording.frames.text(key), recording.frames.text(value));
  }
  for (const DeviceState& end : at_end.devices) {
    const DeviceState* const peak = at_peak.device_at(end.device);
    if (peak == nullptr || !is_used(end.figures)) continue;
    BaselineDevice& device = baseline.devices[end.device];
    device.device_kind = end.device_kind;
    if (device.recordings == 0) device.counts = static_cast<const EventCounts&>(end.figures);
    widen(device.peak_requested, end.figures.peak_requested_bytes, baseline.recordings.size());
    widen(device.end_requested, end.figures.end_requested_bytes, baseline.recordings.size());
    widen(device.end_reserved, end.figures.end_reserved_bytes, baseline.recordings.size());
    add_moment(device.moments[0], at_peak, *peak);
    add_moment(device.moments[1], at_end, end);
    ++device.recordings;
  }
  baseline.recordings.push_back(name);
  for (auto& [id, device] : baseline.devices) {
    if (device.recordings < baseline.recordings.size())
      device.peak_requested.low = device.end_requested.low = device.end_reserved.low = 0;
    for (BaselineMoment& moment : device.moments)
      complete(moment, baseline.recordings.size());
  }
}

std::string name_of(const Baseline& baseline) {
  if (baseline.recordings.empty()) return "no recording";
  if (baseline.recordings.size() == 1) return baseline.recordings.front();
  return fmt::format("{} recordings, {} to {}", baseline.recordings.size(), baseline.recordings.front(),
                     baseline.recordings.back());
}

bool has_events(const Baseline& baseline) {
  return std::ranges::any_of(baseline.devices, [](const auto& device) { return device.second.counts.events > 0; });
}

} // namespace memviz
