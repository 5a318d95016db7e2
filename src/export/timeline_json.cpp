#include "memviz/timeline_json.hpp"

#include "base/json_schema.hpp"
#include "base/json_writer.hpp"
#include "export/device_json.hpp"
#include "export/kinds_json.hpp"
#include "export/rehearsal_json.hpp"
#include "export/text_limit.hpp"
#include "memviz/error.hpp"
#include "memviz/kind_totals.hpp"
#include "memviz/label.hpp"
#include "memviz/story.hpp"
#include "memviz/warnings.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kMostPoints = 4'500; // as many as in a picture
constexpr std::size_t kMostHolders = 100;

std::optional<std::uint64_t> reserved_at(const DeviceRecord& record, std::uint32_t state) {
  if (state < record.reserved_known_from) return std::nullopt;
  const auto after = std::upper_bound(record.reserved.begin(), record.reserved.end(), state,
                                      [](std::uint32_t wanted, const Step& step) { return wanted < step.state; });
  return after == record.reserved.begin() ? std::nullopt : std::optional(std::prev(after)->bytes);
}

/// Returns -1 for the state before the first event.
std::int64_t event_of(std::uint32_t state) {
  return std::int64_t{state} - 1;
}

std::optional<std::int64_t> time_of(const DeviceRecord& record, std::uint32_t state) {
  const std::vector<std::int64_t>& times = record.times_us();
  return state == 0 || times.empty() ? std::nullopt : std::optional(times[state - 1]);
}

/// A device with the sources of its numbers.
struct Part {
  const DeviceState& device_state;
  const DeviceRecord& record;
  Window window;
  BandChart chart;
  std::vector<Holder> holders;
};

class TimelineJson {
public:
  TimelineJson(const MemoryState& state, std::size_t devices, JsonWriter& json)
      : state_(state), devices_(devices), lines_(state),
        limit_(state.recording->origin.size_bytes, "--device makes less"), json_(json) {}

  void add(const TimelinePart& part) {
    const DeviceState* const device_state = state_.device_at(part.record.device);
    if (device_state == nullptr)
      throw Error(fmt::format("device {} is not in the snapshot", device_word(part.record.device)));
    const std::size_t before = json_.written_bytes();
    const TimelineOptions options{.most_bands = 0, .most_slices = kMostPoints};
    Part whole{*device_state, part.record, part.window, chart_bands(part.record, part.window, options), {}};
    whole.holders = holders_at(state_.frames(), lines_, part.record, TimelineKind::allocations,
                               whole.chart.slices[whole.chart.peak].state);
    write(whole);
    limit_.add(json_.written_bytes() - before);
  }

private:
  void write(const Part& part) {
    write_device_key(json_.begin_object(), part.device_state.device);
    write_story(part);
    json_.member("events", part.record.events)
        .member("from_event", event_of(part.window.first))
        .member("to_event", event_of(part.window.last))
        .member("allocations", part.record.lives.size());
    write_peak(part);
    write_ooms(part);
    write_curve(part);
    json_.end_object();
  }

  void write_story(const Part& part) {
    const Story story = timeline_story({.state = state_,
                                        .device_state = part.device_state,
                                        .record = part.record,
                                        .window = part.window,
                                        .place = {},
                                        .bands = part.chart,
                                        .holders = part.holders,
                                        .capacity_bytes = {},
                                        .overlay_bytes = {},
                                        .devices = devices_});
    json_.member("headline", story.headline).member("answer", story.answer);
  }

  /// Writes the members of an object for a point of the curve.
  void write_point(const Part& part, const Slice& slice) {
    json_.member("event", event_of(slice.state))
        .member("time_us", time_of(part.record, slice.state))
        .member("live_bytes", slice.live_bytes)
        .member("baseline_bytes", slice.baseline_bytes)
        .member("reserved_bytes", reserved_at(part.record, slice.state));
  }

  void write_peak(const Part& part) {
    json_.key("peak").begin_object();
    write_point(part, part.chart.slices[part.chart.peak]);
    write_holders(part.holders);
    write_kinds(json_.key("kinds"), kind_account(held_kinds(part.holders)));
    json_.end_object();
  }

  void write_holders(const std::vector<Holder>& holders) {
    const std::size_t named = std::min(holders.size(), kMostHolders);
    json_.key("holders").begin_array();
    for (std::size_t i = 0; i < named; ++i) {
      const std::string line = node_label(state_.frames(), holders[i].key);
      json_.begin_object(JsonLayout::spaced)
          .member("line", line)
          .member("bytes", holders[i].bytes)
          .member("allocations", holders[i].allocations);
      write_within(holders[i].within);
      json_.end_object();
    }
    json_.end_array();
    Holder others;
    for (std::size_t i = named; i < holders.size(); ++i) {
      others.bytes += holders[i].bytes;
      others.allocations += holders[i].allocations;
    }
    json_.key("others").begin_object(JsonLayout::spaced).member("lines", holders.size() - named);
    json_.member("bytes", others.bytes).member("allocations", others.allocations).end_object();
  }

  void write_within(const std::vector<InnerLine>& within) {
    if (within.empty()) return;
    json_.key("within").begin_array();
    for (const InnerLine& inner : within)
      json_.begin_object(JsonLayout::spaced)
          .member("line", node_label(state_.frames(), inner.frame))
          .member("bytes", inner.amount.bytes)
          .member("allocations", inner.amount.blocks)
          .end_object();
    json_.end_array();
  }

  void write_ooms(const Part& part) {
    json_.key("ooms").begin_array();
    for (const Mark& mark : part.record.marks) {
      if (mark.kind != MarkKind::oom || mark.state < part.window.first || mark.state > part.window.last) continue;
      // If CUDA could not report the free memory, the file has a number near 2^64.
      const auto free_bytes = mark.free_bytes > kMaxTotalBytes ? std::nullopt : std::optional(mark.free_bytes);
      json_.begin_object(JsonLayout::spaced)
          .member("event", event_of(mark.state))
          .member("time_us", time_of(part.record, mark.state))
          .member("requested_bytes", mark.size_bytes)
          .member("device_free_bytes", free_bytes)
          .end_object();
    }
    json_.end_array();
  }

  void write_curve(const Part& part) {
    json_.key("curve").begin_array();
    for (const Slice& slice : part.chart.slices) {
      json_.begin_object(JsonLayout::spaced);
      write_point(part, slice);
      json_.end_object();
    }
    json_.end_array();
  }

  const MemoryState& state_;
  std::size_t devices_;
  LifeLines lines_;
  TextLimit limit_;
  JsonWriter& json_;
};

} // namespace

std::string timeline_json(const std::string& file, const MemoryState& state, std::span<const TimelinePart> parts) {
  return json_document([&](JsonWriter& json) {
    begin_document(json, "memviz.timeline/1.2").member("file", file);
    write_rehearsal(json, state.recording->origin.rehearsal);
    json.key("devices").begin_array();
    TimelineJson devices(state, parts.size(), json);
    for (const TimelinePart& part : parts)
      devices.add(part);
    json.end_array().member("warnings", warnings_and_losses(state)).end_object();
  });
}

} // namespace memviz
