#include "memviz/perfetto.hpp"

#include "analysis/steps/step_marks.hpp"
#include "base/printable.hpp"
#include "formats/perfetto_packets.hpp"
#include "memviz/label.hpp"
#include "memviz/rehearsal.hpp"
#include "memviz/timeline.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

namespace {

constexpr std::uint64_t kTrackOfDevice = 64; ///< the tracks of a device have the numbers from its index times this one
constexpr std::uint32_t kMostAnnotationRows = 16; ///< of annotations within each other

/// The tracks of a device, as offsets from its first.
enum class Track : std::uint8_t { device = 1, live, reserved, errors, steps, annotations };

/// The change of live and of reserved bytes by an event.
struct BytesChange {
  std::int64_t live_bytes = 0;
  std::int64_t reserved_bytes = 0;
};

BytesChange change_by(const Event& event) {
  const auto bytes = static_cast<std::int64_t>(std::min(event.size_bytes, kMaxTotalBytes));
  switch (event.action) {
  case Action::alloc: return {bytes, 0};
  case Action::free_completed: return {-bytes, 0};
  case Action::segment_alloc:
  case Action::segment_map: return {0, bytes};
  case Action::segment_free:
  case Action::segment_unmap: return {0, -bytes};
  default: return {};
  }
}

/// Bytes clamped to 0 and to an upper bound.
std::uint64_t grown(std::uint64_t bytes, std::int64_t by) {
  if (by < 0) return bytes - std::min(bytes, static_cast<std::uint64_t>(-by));
  return std::min(bytes + static_cast<std::uint64_t>(by), kMaxTotalBytes);
}

} // namespace

class PerfettoTrace::Writer : public PerfettoPackets {
public:
  Writer(const MemoryState& state, const PerfettoSurvey& survey, std::optional<DeviceId> device, TextSink write)
      : PerfettoPackets(std::move(write)), state_(state), survey_(survey) {
    const std::span<const DeviceState> devices = state.devices_of(device);
    write_clocks(devices);
    std::uint64_t first_track = 0;
    for (const DeviceState& of_device : devices)
      begin_device(of_device, first_track += kTrackOfDevice);
  }

  void take(DeviceId device, std::span<const Event> events) {
    const auto found = devices_.find(device);
    if (found == devices_.end()) return;
    for (const Event& event : events)
      take(found->second, event);
  }

private:
  struct Device {
    std::uint64_t first_track = 0;
    std::uint64_t live_bytes = 0;
    std::uint64_t reserved_bytes = 0;
    std::int64_t time_us = 0; ///< of the last event: times never decrease
    std::int64_t index = 0;   ///< of the next event; also used for one without a time
  };

  [[nodiscard]] static std::uint64_t track_of(const Device& device, Track track) {
    return device.first_track + static_cast<std::uint64_t>(track);
  }

  /// All clocks are the same here: that of the events, which are since 1970, Perfetto's own, and that of heap profiles.
  void write_clocks(std::span<const DeviceState> devices) {
    constexpr std::uint64_t kClocks[] = {1, 4, 6}; // REALTIME, MONOTONIC_COARSE, BOOTTIME
    const std::int64_t first_us = devices.empty() ? 0 : devices.front().figures.first_time_us.value_or(0);
    ProtobufWriter snapshot;
    for (const std::uint64_t clock : kClocks)
      snapshot.message(1, ProtobufWriter().number(1, clock).number(2, perfetto_nanos(first_us)));
    write_packet(ProtobufWriter().message(6, snapshot));
  }

  void begin_device(const DeviceState& state, std::uint64_t first_track) {
    const DeviceFigures& figures = state.figures;
    const auto reserved_bytes = static_cast<std::int64_t>(figures.end_reserved_bytes);
    const std::int64_t before = reserved_bytes - survey_.segment_growth(state.device);
    Device& device = devices_[state.device];
    device = {.first_track = first_track,
              .live_bytes = figures.baseline_bytes,
              .reserved_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(before, 0)),
              .time_us = figures.first_time_us.value_or(0)};
    write_tracks(device, state);
    count(device, Track::live, device.live_bytes);
    count(device, Track::reserved, device.reserved_bytes);
    if (!figures.first_time_us || !figures.last_time_us) return;
    write_annotations(device, state);
    write_steps(device, state);
  }

  void write_tracks(const Device& device, const DeviceState& state) {
    std::string name = device_name(state);
    if (const std::string alert = rehearsal_alert(state_.recording->origin.rehearsal); !alert.empty())
      name += ", " + alert;
    if (!state.figures.first_time_us) name += ", a microsecond for each event: the events have no times";
    write_track(track_of(device, Track::device), 0, name);
    const std::uint64_t parent = track_of(device, Track::device);
    write_track(track_of(device, Track::live), parent, "live bytes", true);
    write_track(track_of(device, Track::reserved), parent, "reserved bytes", true);
    write_track(track_of(device, Track::errors), parent, "out of memory");
  }

  void count(const Device& device, Track track, std::uint64_t bytes) {
    write_event(perfetto_nanos(device.time_us),
                event_on(track_of(device, track), EventType::counter).number(30, bytes));
  }

  void write_slice(std::uint64_t track, std::string_view name, std::int64_t begin_us, std::int64_t end_us) {
    begin_slice(track, name, perfetto_nanos(begin_us));
    end_slice(track, perfetto_nanos(end_us));
  }

  /// A track for each row of annotations that do not overlap.
  void write_annotations(const Device& device, const DeviceState& state) {
    const std::int64_t first_us = *state.figures.first_time_us;
    DeviceRecord record;
    record.device = state.device;
    // Only the lane's end points are written if no states are wanted.
    record.times =
        std::make_shared<const std::vector<std::int64_t>>(std::vector{first_us, *state.figures.last_time_us});
    const AnnotationLane lane = annotation_lane(*state_.recording, record, kMostAnnotationRows);
    const std::uint64_t track = track_of(device, Track::annotations);
    for (std::uint32_t row = 0; row < lane.rows; ++row)
      write_track(track + row, track_of(device, Track::device), "annotations");
    for (const AnnotationSpan& span : lane.spans)
      write_slice(track + span.row, safe_line(state_.frames().text(span.name)), first_us + span.begin_us,
                  first_us + span.end_us);
  }

  /// From each mark of the best name to the next, and from the last one to the end.
  void write_steps(const Device& device, const DeviceState& state) {
    StepMarks marks(*state_.recording, std::nullopt);
    const std::vector<Marks>& all = marks.of(state.device);
    const auto best = std::ranges::find_if(all, [](const Marks& one) { return one.rank >= StepRank::optimizer; });
    if (best == all.end()) return;
    const std::uint64_t track = track_of(device, Track::steps);
    write_track(track, track_of(device, Track::device), "steps by " + safe_line(best->name));
    for (std::size_t i = 0; i < best->times_us.size(); ++i) {
      const bool is_last = i + 1 == best->times_us.size();
      const std::int64_t begin_us = best->times_us[i];
      const std::int64_t end_us = is_last ? *state.figures.last_time_us : best->times_us[i + 1];
      write_slice(track, "step " + std::to_string(i + 1), begin_us, std::max(begin_us, end_us));
    }
  }

  void take(Device& device, const Event& event) {
    device.time_us = std::max(device.time_us, event.time_us.value_or(device.index));
    ++device.index;
    const BytesChange change = change_by(event);
    if (change.live_bytes != 0)
      count(device, Track::live, device.live_bytes = grown(device.live_bytes, change.live_bytes));
    if (change.reserved_bytes != 0)
      count(device, Track::reserved, device.reserved_bytes = grown(device.reserved_bytes, change.reserved_bytes));
    if (event.action == Action::oom) write_error(device, event);
  }

  void write_error(const Device& device, const Event& event) {
    const auto note = [](std::string_view name, std::uint64_t bytes) {
      return ProtobufWriter().text(10, name).number(3, bytes);
    };
    write_event(perfetto_nanos(device.time_us), event_on(track_of(device, Track::errors), EventType::instant)
                                                    .text(23, "out of memory")
                                                    .message(4, note("requested_bytes", event.size_bytes))
                                                    .message(4, note("device_free_bytes", event.address)));
  }

  const MemoryState& state_;
  const PerfettoSurvey& survey_;
  std::map<DeviceId, Device> devices_;
};

void PerfettoSurvey::take(DeviceId device, std::span<const Event> events) {
  std::int64_t& growth = growth_[device];
  constexpr auto kMost = static_cast<std::int64_t>(kMaxTotalBytes);
  for (const Event& event : events)
    growth = std::clamp(growth + change_by(event).reserved_bytes, -kMost, kMost);
}

void PerfettoSurvey::restart() {
  growth_.clear();
  RestartCounter::restart();
}

std::int64_t PerfettoSurvey::segment_growth(DeviceId device) const {
  const auto found = growth_.find(device);
  return found == growth_.end() ? 0 : found->second;
}

PerfettoTrace::PerfettoTrace(const MemoryState& state, const PerfettoSurvey& survey, std::optional<DeviceId> device,
                             TextSink write)
    : writer_(std::make_unique<Writer>(state, survey, device, std::move(write))) {
}

PerfettoTrace::~PerfettoTrace() = default;

void PerfettoTrace::take(DeviceId device, std::span<const Event> events) {
  writer_->take(device, events);
}

void PerfettoTrace::finish() {
  writer_->finish();
}

} // namespace memviz
