#include "memviz/timeline.hpp"

#include "analysis/timeline/timeline_ranges.hpp"
#include "base/number_map.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"
#include "memviz/memory_state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace memviz {

struct TimelineRecorder::Device {
  DeviceRecord record;
  std::vector<std::int64_t> times;
  NumberMap live; ///< address -> index into record.lives
  std::vector<LifeAnnotation> annotations;
  std::vector<RangeChange> changes;
  std::uint64_t changed_bytes = 0;
  std::map<Home, std::uint32_t> home_index;
  Home last_home;
  std::uint32_t last_home_index = 0;

  void take(const Event& event);
  std::uint32_t home_of(const Event& event);
  void take_time(const Event& event);
  void end_life(const Event& event, std::uint32_t state);
  void change_range(const Event& event, std::uint32_t state);
  void annotate(const Event& event);
};

namespace {

constexpr std::uint32_t kMostEvents = kForever - 1;
/// The segment decides.
constexpr std::uint32_t kNoHome = kForever;

/// Blocks that are active at the end without a recorded alloc.
void keep_unexplained(const MemoryMap& memory, const NumberMap& live, DeviceRecord& record) {
  for (const Segment& segment : memory.segments_of(record.device)) {
    for (std::uint32_t i = segment.first_block; i < segment.first_block + segment.block_count; ++i) {
      const Block& block = memory.blocks[i];
      if (!block.is_active() || live.contains(block.address)) continue;
      record.kept_baseline.push_back(
          {.address = block.address, .size_bytes = block.requested_bytes, .stack = block.stack, .home = kNoHome});
      record.kept_blocks.push_back(i);
    }
  }
}

bool is_of_earlier_life(const LifeAnnotation& left, const LifeAnnotation& right) {
  return std::tie(left.begin, left.address) < std::tie(right.begin, right.address);
}

} // namespace

std::uint32_t TimelineRecorder::Device::home_of(const Event& event) {
  const Home home{event.stream, event.pool};
  if (!record.homes.empty() && home == last_home) return last_home_index;
  const auto [entry, is_new] = home_index.try_emplace(home, static_cast<std::uint32_t>(record.homes.size()));
  if (is_new) record.homes.push_back(home);
  last_home = home;
  last_home_index = entry->second;
  return entry->second;
}

/// An event without a time gets the time of the previous one, or of the first that has one.
void TimelineRecorder::Device::take_time(const Event& event) {

  if (times.empty()) {
    if (event.time_us) times.assign(std::size_t{record.events} + 1, *event.time_us);
  } else {
    times.push_back(std::max(times.back(), event.time_us.value_or(times.back())));
  }
}

void TimelineRecorder::Device::end_life(const Event& event, std::uint32_t state) {
  if (const auto index = live.remove(event.address)) {
    Life& life = record.lives[static_cast<std::size_t>(*index)];
    life.end = state;
    if (life.size_bytes != event.size_bytes)
      record.corrections.emplace_back(state, static_cast<std::int64_t>(life.size_bytes - event.size_bytes));
    return;
  }
  record.freed_baseline.push_back(
      {.address = event.address, .size_bytes = event.size_bytes, .end = state, .home = home_of(event)});
}

void TimelineRecorder::Device::change_range(const Event& event, std::uint32_t state) {
  if (__builtin_add_overflow(changed_bytes, event.size_bytes, &changed_bytes) || changed_bytes > kMaxTotalBytes)
    throw Error(fmt::format("the segment events of device {} add up to more than 1 EiB: the file is damaged",
                            device_word(record.device)));
  const bool is_mapped = event.action == Action::segment_alloc || event.action == Action::segment_map;
  changes.push_back({.state = state,
                     .is_mapped = is_mapped,
                     .address = event.address,
                     .size_bytes = event.size_bytes,
                     .stack = event.stack,
                     .home = home_of(event)});
}

/// An allocation without a recorded alloc was live before the first event.
void TimelineRecorder::Device::annotate(const Event& event) {
  const auto index = live.find(event.address);
  const std::uint32_t begin = index ? record.lives[static_cast<std::size_t>(*index)].begin : 0;
  annotations.push_back({begin, event.user_metadata, event.address});
}

void TimelineRecorder::Device::take(const Event& event) {
  if (record.events == kMostEvents) throw Error("a timeline of more than 4,294,967,294 events cannot be drawn");
  take_time(event);
  const std::uint32_t state = ++record.events;
  switch (event.action) {
  case Action::alloc:
    live.insert(event.address, record.lives.size());
    record.lives.push_back({.address = event.address,
                            .size_bytes = event.size_bytes,
                            .stack = event.stack,
                            .begin = state,
                            .home = home_of(event)});
    for (const StringId text : {event.user_metadata, event.internal_metadata})
      if (text != kEmptyString) annotations.push_back({state, text, event.address});
    break;
  case Action::free_completed: end_life(event, state); break;
  case Action::segment_alloc:
  case Action::segment_map:
  case Action::segment_free:
  case Action::segment_unmap: change_range(event, state); break;
  case Action::oom: record.marks.push_back({MarkKind::oom, state, event.size_bytes, event.address}); break;
  case Action::snapshot: record.marks.push_back({MarkKind::state, state, event.size_bytes, 0}); break;
  case Action::annotate: annotate(event); break;
  case Action::free_requested:
  case Action::other: break;
  }
}

const std::vector<std::int64_t>& DeviceRecord::times_us() const {
  static const std::vector<std::int64_t> none;
  return times ? *times : none;
}

std::vector<StringId> DeviceRecord::annotations_of(const Life& life) const {
  std::vector<StringId> texts;
  if (!annotations) return texts;
  const auto [first, last] = std::equal_range(annotations->begin(), annotations->end(),
                                              LifeAnnotation{life.begin, {}, life.address}, is_of_earlier_life);
  for (auto annotation = first; annotation != last && texts.size() < BlockBirth::kMostAnnotations; ++annotation)
    if (std::ranges::find(texts, annotation->text) == texts.end()) texts.push_back(annotation->text);
  return texts;
}

TimelineRecorder::TimelineRecorder() = default;
TimelineRecorder::~TimelineRecorder() = default;

void TimelineRecorder::take(DeviceId device, std::span<const Event> events) {
  if (events.empty() || !failure_.empty()) return;
  std::unique_ptr<Device>& recorded = devices_.make(device);
  if (!recorded) {
    recorded = std::make_unique<Device>();
    recorded->record.device = device;
  }
  try {
    for (const Event& event : events)
      recorded->take(event);
  } catch (const Error& error) {
    failure_ = error.what();
  }
}

void TimelineRecorder::restart() {
  devices_.clear();
  failure_.clear();
}

std::vector<DeviceRecord> TimelineRecorder::finish(const Recording& recording) {
  if (!failure_.empty()) throw Error(failure_);
  std::vector<DeviceRecord> records;
  for (const DeviceId device : recording.devices()) {
    Device without_events;
    without_events.record.device = device;
    std::unique_ptr<Device>* const found = devices_.find(device);
    const bool has_events = found != nullptr && *found != nullptr;
    Device& recorded = has_events ? **found : without_events;
    recorded.record.times = std::make_shared<const std::vector<std::int64_t>>(std::move(recorded.times));
    std::ranges::stable_sort(recorded.annotations, is_of_earlier_life);
    recorded.record.annotations = std::make_shared<const std::vector<LifeAnnotation>>(std::move(recorded.annotations));
    keep_unexplained(recording.end, recorded.live, recorded.record);
    rebuild_ranges(recording.end, recorded.changes, recorded.record);
    records.push_back(std::move(recorded.record));
    if (has_events) found->reset();
  }
  return records;
}

std::vector<DeviceRecord> record_timeline(const Recording& recording) {
  TimelineRecorder recorder;
  take_events(recording, recorder);
  return recorder.finish(recording);
}

} // namespace memviz
