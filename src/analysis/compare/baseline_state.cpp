#include "memviz/baseline.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <variant>

namespace memviz {

namespace {

constexpr std::string_view kRest = "(lines that the baseline omits)";

/// Builds devices, with each line as blocks of one segment whose stacks consist of that line.
class StateOfBaseline {
public:
  StateOfBaseline(MomentKind moment, std::uint64_t ByteRange::*side) : moment_(moment), side_(side) {}

  void add(DeviceId id, const BaselineDevice& device) {
    const BaselineMoment& moment = device.moments[moment_ == MomentKind::peak ? 0 : 1];
    std::uint64_t address = kFirstAddress;
    Segment segment;
    segment.device = id;
    segment.address = address;
    segment.first_block = static_cast<std::uint32_t>(state_.blocks.size());
    for (const auto& [line, share] : moment.lines)
      add_blocks(line, share.bytes.*side_, share.blocks, address);
    if (moment.rest.*side_ > 0) add_blocks({.function = std::string(kRest)}, moment.rest.*side_, 1, address);
    segment.block_count = static_cast<std::uint32_t>(state_.blocks.size()) - segment.first_block;
    segment.total_bytes = address - segment.address;
    state_.segments.push_back(segment);
    add_end(id, device);
    add_state(id, device, moment);
  }

  [[nodiscard]] MemoryState take(const Baseline& baseline) {
    recording_->origin.generation = baseline.generation;
    if (!baseline.rehearsed_gpu.empty()) recording_->origin.rehearsal.emplace().gpu = baseline.rehearsed_gpu;
    for (const auto& [name, value] : baseline.settings)
      recording_->settings.emplace_back(recording_->frames.intern(name), recording_->frames.intern(value));
    state_.has_kinds = !state_.blocks.empty();
    state_.recording = recording_;
    return std::move(state_);
  }

private:
  static constexpr std::uint64_t kFirstAddress = 4096;

  /// A reason for a missing stack becomes a frame of that name.
  StackId stack_of(const BaselineLine& line) {
    FrameTable& frames = recording_->frames;
    const std::string& function = line.no_stack.empty() ? line.function : line.no_stack;
    const FrameId frame = frames.add_frame({frames.intern(function), frames.intern(line.file), line.line});
    return frames.add_stack(std::span(&frame, 1));
  }

  /// One has all bytes and the others none, so that the count is right.
  void add_blocks(const BaselineLine& line, std::uint64_t bytes, std::uint64_t count, std::uint64_t& address) {
    const StackId stack = stack_of(line);
    BlockFacts facts;
    facts.kind = {line.kind, KindEvidence::frames};
    for (std::uint64_t i = 0; i < std::max<std::uint64_t>(count, 1); ++i) {
      const std::uint64_t size = i == 0 ? bytes : 0;
      state_.blocks.push_back({address, size, size, BlockState::active_allocated, stack});
      state_.facts.push_back(facts);
      address += size;
    }
  }

  /// Reserved memory at the end is the one figure that comes from the recording's own segments.
  void add_end(DeviceId id, const BaselineDevice& device) {
    const std::uint64_t bytes = device.end_reserved.*side_;
    if (bytes > 0) {
      Segment segment;
      segment.device = id;
      segment.address = kFirstAddress;
      segment.total_bytes = segment.uncovered_bytes = bytes;
      recording_->end.segments.push_back(segment);
    }
    recording_->event_counts.make(id) = device.counts.events;
  }

  void add_state(DeviceId id, const BaselineDevice& device, const BaselineMoment& moment) {
    DeviceState state;
    state.device = id;
    state.device_kind = device.device_kind;
    state.moment.kind = moment_;
    if (moment.event >= 0) state.moment.event = EventIndex(static_cast<std::uint64_t>(moment.event));
    static_cast<MemoryTotals&>(state.figures) = moment.totals;
    static_cast<EventCounts&>(state.figures) = device.counts;
    state.figures.peak_requested_bytes = device.peak_requested.*side_;
    state.figures.end_requested_bytes = device.end_requested.*side_;
    state.figures.end_block_bytes = device.end_requested.*side_;
    state.figures.end_reserved_bytes = device.end_reserved.*side_;
    state_.devices.push_back(std::move(state));
  }

  MomentKind moment_;
  std::uint64_t ByteRange::*side_;
  MemoryState state_;
  std::shared_ptr<Recording> recording_ = std::make_shared<Recording>();
};

bool is_rest(const FrameTable& frames, const NodeKey& key) {
  const auto* const frame = std::get_if<FrameId>(&key);
  return frame != nullptr && frames.name(*frame) == kRest;
}

/// Counts lines that only the recording has, and that the file may have omitted, as the rest.
void fold_left_out(Comparison& comparison, std::uint64_t most_of_left_out, Amount Change::*side_of_baseline) {
  const auto side = side_of_baseline == &Change::before ? &Change::after : &Change::before;
  std::vector<UserLineChange>& changes = comparison.changes;
  const auto is_left_out = [&](const UserLineChange& line) {
    return (line.change.*side_of_baseline).bytes == 0 && (line.change.*side).bytes <= most_of_left_out;
  };
  for (UserLineChange& rest : changes) {
    if (!is_rest(comparison.frames, rest.key)) continue;
    for (const UserLineChange& line : changes)
      if (line.device == rest.device && is_left_out(line)) rest.change += line.change;
  }
  std::erase_if(changes, is_left_out);
}

} // namespace

MemoryState state_of(const Baseline& baseline, MomentKind moment, std::uint64_t ByteRange::*side) {
  StateOfBaseline made(moment, side);
  for (const auto& [id, device] : baseline.devices)
    made.add(id, device);
  return made.take(baseline);
}

void fold_left_out(Comparison& comparison, const Baseline& before, const Baseline& after) {
  fold_left_out(comparison, before.most_of_left_out_bytes, &Change::before);
  fold_left_out(comparison, after.most_of_left_out_bytes, &Change::after);
  std::ranges::stable_sort(comparison.changes, [](const UserLineChange& one, const UserLineChange& other) {
    return std::abs(one.change.delta_bytes()) > std::abs(other.change.delta_bytes());
  });
  comparison.only_before.clear();
  comparison.only_after.clear();
  comparison.in_both.clear();
}

} // namespace memviz
