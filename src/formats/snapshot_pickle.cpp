#include "memviz/snapshot_pickle.hpp"

#include "formats/snapshot_facts.hpp"
#include "recording/keys.hpp"

#include <algorithm>

namespace memviz {
namespace {

class SnapshotWriter {
public:
  SnapshotWriter(const MemoryState& state, const SnapshotPart& part, const TextSink& sink)
      : state_(state), part_(part), signs_(state.recording->origin.signs), pickle_(sink),
        frames_(pickle_, state.frames()) {}

  void write() {
    if (signs_.is_list)
      segments(false);
    else
      root();
    pickle_.finish();
  }

private:
  void key(std::string_view name) { pickle_.word(name); }
  void number(std::string_view name, std::uint64_t value) {
    key(name);
    pickle_.unsigned_integer(value);
  }
  void signed_number(std::string_view name, std::int64_t value) {
    key(name);
    pickle_.integer(value);
  }
  void text(std::string_view name, StringId value) {
    key(name);
    frames_.text(value);
  }
  void word(std::string_view name, std::string_view value) {
    key(name);
    pickle_.word(value);
  }
  void pool(std::string_view name, PoolId value) {
    key(name);
    pickle_.pair(value.first, value.second);
  }
  void stack(std::string_view name, StackId value) {
    key(name);
    frames_.stack(value);
  }

  void root();
  void segments(bool is_of_host);
  void segment(const Segment& segment);
  void block(const Block& block);
  void history(const Block& block);
  void traces();
  void trace(DeviceId device);
  void event(const Event& event);
  void texts_of(const Event& event);

  [[nodiscard]] bool is_written(DeviceId device) const { return !part_.device || device == *part_.device; }
  [[nodiscard]] bool has_host_memory() const {
    return is_written(kHostDevice) && state_.device_at(kHostDevice) != nullptr;
  }

  const MemoryState& state_;
  const SnapshotPart part_;
  const GenerationSigns& signs_;
  PickleWriter pickle_;
  FrameWriter frames_;
};

void SnapshotWriter::root() {
  const FactsOutput facts{pickle_, frames_};
  pickle_.begin_dict();
  // The events come first, so that the memo numbers of their keys are small.
  key(kRootKeys.name("device_traces"));
  traces();
  key(kRootKeys.name("segments"));
  segments(false);
  if (has_host_memory()) {
    key(kRootKeys.name("host_traces"));
    trace(kHostDevice);
    key(kRootKeys.name("host_segments"));
    segments(true);
  }
  write_settings(facts, *state_.recording);
  write_annotations(facts, state_, part_);
  write_recorder(facts, state_, part_);
  write_keepers(facts, state_, part_);
  write_rehearsal(facts, *state_.recording);
  pickle_.end_dict();
}

void SnapshotWriter::segments(bool is_of_host) {
  std::vector<const Segment*> written;
  for (const Segment& one : state_.segments)
    if (is_written(one.device) && is_host(one.device) == is_of_host) written.push_back(&one);
  pickle_.list(written.size(), [&](std::size_t i) { segment(*written[i]); });
}

void SnapshotWriter::segment(const Segment& segment) {
  const std::span<const Block> blocks = state_.blocks_of(segment);
  std::uint64_t allocated_bytes = 0;
  std::uint64_t active_bytes = 0;
  std::uint64_t requested_bytes = 0;
  for (const Block& one : blocks) {
    allocated_bytes += one.state == BlockState::active_allocated ? one.size_bytes : 0;
    active_bytes += one.is_active() ? one.size_bytes : 0;
    requested_bytes += one.requested_bytes;
  }
  pickle_.begin_dict();
  signed_number(kSegmentKeys.name("device"), is_host(segment.device) ? -1 : std::int64_t{segment.device.value});
  number(kSegmentKeys.name("address"), segment.address);
  number(kSegmentKeys.name("total_size"), segment.total_bytes);
  number(kSegmentKeys.name("allocated_size"), allocated_bytes);
  number(kSegmentKeys.name("active_size"), active_bytes);
  number(kSegmentKeys.name("requested_size"), requested_bytes);
  signed_number(kSegmentKeys.name("stream"), segment.stream);
  if (segment.is_large) word(kSegmentKeys.name("segment_type"), *segment.is_large ? "large" : "small");
  pool(kSegmentKeys.name("segment_pool_id"), segment.pool);
  key(kSegmentKeys.name("is_expandable"));
  pickle_.boolean(segment.is_expandable);
  stack(kSegmentKeys.name("frames"), segment.stack);
  key(kSegmentKeys.name("blocks"));
  pickle_.list(blocks.size(), [&](std::size_t i) { block(blocks[i]); });
  pickle_.end_dict();
}

void SnapshotWriter::block(const Block& block) {
  pickle_.begin_dict();
  number(kBlockKeys.name("address"), block.address);
  number(kBlockKeys.name("size"), block.size_bytes);
  number(kBlockKeys.name("requested_size"), block.requested_bytes);
  word(kBlockKeys.name("state"), state_name(block.state));
  if (!signs_.has_history)
    stack(kBlockKeys.name("frames"), block.stack);
  else if (block.is_active())
    history(block);
  pickle_.end_dict();
}

void SnapshotWriter::history(const Block& block) {
  key(kBlockKeys.name("history"));
  pickle_.list(1, [&](std::size_t) {
    pickle_.begin_dict();
    number("addr", block.address);
    number(kHistoryKeys.name("real_size"), block.requested_bytes);
    if (block.stack != kNoContext) stack(kHistoryKeys.name("frames"), block.stack);
    pickle_.end_dict();
  });
}

void SnapshotWriter::traces() {
  std::size_t count = 0;
  for (const DeviceState& device : state_.devices)
    if (!is_host(device.device)) count = std::max<std::size_t>(count, device.device.value + std::size_t{1});
  pickle_.list(count, [&](std::size_t i) { trace({static_cast<std::uint32_t>(i)}); });
}

/// Writes an empty list if the device has no events, or is omitted.
void SnapshotWriter::trace(DeviceId device) {
  const EventTable& events = state_.recording->events_of(device);
  const DeviceState* const at = state_.device_at(device);
  const bool has_events = at != nullptr && is_written(device);
  const std::uint64_t counted = has_events ? at->moment.event.count() : 0;
  const auto end = static_cast<std::size_t>(std::min<std::uint64_t>(counted, events.size()));
  const auto first = static_cast<std::size_t>(std::min<std::uint64_t>(part_.first_event, end));
  pickle_.list(end - first, [&](std::size_t i) { event(events[first + i]); });
}

/// In the order of PyTorch's own keys: the stack comes last.
void SnapshotWriter::event(const Event& event) {
  pickle_.begin_dict();
  key(kEventKeys.name("action"));
  if (event.action == Action::other)
    frames_.text(event.action_text);
  else
    pickle_.word(action_name(event.action));
  number(event.action == Action::oom ? kEventKeys.name("device_free") : kEventKeys.name("addr"), event.address);
  number(kEventKeys.name("size"), event.size_bytes);
  signed_number(kEventKeys.name("stream"), event.stream);
  if (event.time_us) signed_number(kEventKeys.name("time_us"), *event.time_us);
  texts_of(event);
  if (event.pool) pool(kEventKeys.name("pool_id"), *event.pool);
  stack(kEventKeys.name("frames"), event.stack);
  if (event.forward_stack != kNoFrames) {
    key(kEventKeys.name("forward_frames"));
    frames_.names(event.forward_stack);
  }
  pickle_.end_dict();
}

void SnapshotWriter::texts_of(const Event& event) {
  if (signs_.has_compile_context || event.compile_context != kEmptyString)
    text(kEventKeys.name("compile_context"), event.compile_context);
  if (signs_.has_user_metadata || event.user_metadata != kEmptyString)
    text(kEventKeys.name("user_metadata"), event.user_metadata);
  if (event.internal_metadata != kEmptyString) text(kEventKeys.name("internal_metadata"), event.internal_metadata);
}

} // namespace

TextSource snapshot_pickle_source(const MemoryState& state, const SnapshotPart& part) {
  return [&state, part](const TextSink& sink) { SnapshotWriter(state, part, sink).write(); };
}

} // namespace memviz
