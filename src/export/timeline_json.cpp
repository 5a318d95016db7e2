#include "memviz/timeline_json.hpp"

#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/kinds_json.hpp"
#include "export/limited_json.hpp"
#include "export/lines_json.hpp"
#include "export/rehearsal_json.hpp"
#include "export/schemas.hpp"
#include "memviz/error.hpp"
#include "memviz/label.hpp"
#include "memviz/story.hpp"
#include "memviz/warnings.hpp"
#include "story/kind_totals.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace memviz {

namespace {

constexpr std::size_t kMostPoints = 4'500; // as many as in a picture

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
  const FrameTable& frames;
  const DeviceRecord& record;
  Window window;
  BandChart chart;
  std::vector<UserLine> holders;
  Story story;

  [[nodiscard]] std::span<const UserLine> named_holders() const { return first_lines(holders); }
};

struct TimelineInJson {
  const std::string& file;
  const MemoryState& state;
  std::span<const TimelinePart> parts;
  const LifeLines& lines;
  TextLimit& limit;
};

Part part_of_device(const TimelineInJson& timeline, const TimelinePart& part) {
  const DeviceState* const device_state = timeline.state.device_at(part.record.device);
  if (device_state == nullptr)
    throw Error(fmt::format("device {} is not in the snapshot", device_word(part.record.device)));
  const TimelineOptions options{.most_bands = 0, .most_slices = kMostPoints};
  const FrameTable& frames = timeline.state.frames();
  Part whole{frames, part.record, part.window, chart_bands(part.record, part.window, options), {}, {}};
  whole.holders = holders_at(frames, timeline.lines, part.record, TimelineKind::allocations,
                             whole.chart.slices[whole.chart.peak].state);
  whole.story = timeline_story({.state = timeline.state,
                                .device_state = *device_state,
                                .record = part.record,
                                .window = part.window,
                                .place = {},
                                .bands = whole.chart,
                                .holders = whole.holders,
                                .capacity_bytes = {},
                                .overlay_bytes = {},
                                .devices = timeline.parts.size()});
  return whole;
}

constexpr LineWords kHeld{.bytes = "Requested bytes", .count = "allocations", .count_meaning = "Allocations"};

constexpr auto kHeldLine =
    inner_line({.meaning = "A line within another", .name = "inner_holder", .layout = JsonLayout::spaced}, kHeld);

constexpr auto kHeldFigures = line_figures(kHeld);
constexpr auto kHeldWithin = line_within(kHeldLine);
constexpr auto kHolder =
    json_object<LineInJson>({.meaning = "What one line held", .name = "holder", .layout = JsonLayout::spaced},
                            members_of(kHeldFigures, std::identity()), members_of(kHeldWithin, std::identity()));

struct OtherHolders {
  std::size_t lines = 0;
  Amount amount = {};
};

OtherHolders other_holders(const Part& part) {
  const auto others = std::span(part.holders).subspan(part.named_holders().size());
  OtherHolders sum{.lines = others.size()};
  for (const UserLine& holder : others)
    sum.amount += holder.amount;
  return sum;
}

constexpr auto kOtherHolders = json_object<OtherHolders>(
    {.layout = JsonLayout::spaced}, member("lines", "How many", &OtherHolders::lines),
    member("bytes", kHeld.bytes, part_of(&OtherHolders::amount, &Amount::bytes)),
    member(kHeld.count, kHeld.count_meaning, part_of(&OtherHolders::amount, &Amount::blocks)));

struct PointInJson {
  const DeviceRecord& record;
  const Slice& slice;
};

constexpr auto kPoint = json_object<PointInJson>(
    {.meaning = "A point", .name = "point", .layout = JsonLayout::spaced},
    member("event", "Event after which it was so, index from 0 in the events of its device; -1: before the first",
           [](const PointInJson& point) { return event_of(point.slice.state); })
        .at_least(-1),
    member("time_us", "Time of that event, microseconds since 1970; null where there is none",
           [](const PointInJson& point) { return time_of(point.record, point.slice.state); }),
    member("live_bytes", "Requested bytes that lived", [](const PointInJson& point) { return point.slice.live_bytes; }),
    member("baseline_bytes", "Of these, bytes that lived before the first event",
           [](const PointInJson& point) { return point.slice.baseline_bytes; }),
    member("reserved_bytes", "Bytes reserved from the device; null where the events do not show it",
           [](const PointInJson& point) { return reserved_at(point.record, point.slice.state); }));

constexpr auto kPeak = json_object<Part>(
    {},
    members_of(kPoint,
               [](const Part& part) {
                 return PointInJson{part.record, part.chart.slices[part.chart.peak]};
               }),
    member("holders", "By line, largest first, at most 100", &Part::named_holders,
           made_by(
               [](const Part& part, const UserLine& holder) {
                 return LineInJson{part.frames, holder};
               },
               kHolder)),
    member("others", "All further lines together: holders and others are live_bytes", other_holders, kOtherHolders),
    member(
        "kinds", "Kinds of memory at the peak",
        [](const Part& part) { return kinds_in_json(kind_account(held_kinds(part.holders))); }, kKind));

struct OomInJson {
  const DeviceRecord& record;
  Mark mark;
};

/// If CUDA could not report the free memory, the file has a number near 2^64.
std::optional<std::uint64_t> free_bytes_at(const OomInJson& oom) {
  return oom.mark.free_bytes > kMaxTotalBytes ? std::nullopt : std::optional(oom.mark.free_bytes);
}

std::vector<OomInJson> ooms_of(const Part& part) {
  std::vector<OomInJson> ooms;
  for (const Mark& mark : part.record.marks)
    if (mark.kind == MarkKind::oom && mark.state >= part.window.first && mark.state <= part.window.last)
      ooms.push_back({part.record, mark});
  return ooms;
}

constexpr auto kOom = json_object<OomInJson>(
    {.meaning = "An out-of-memory error", .layout = JsonLayout::spaced},
    member("event", "Its event, index from 0 in the events of its device",
           [](const OomInJson& oom) { return event_of(oom.mark.state); })
        .at_least(0),
    member("time_us", "Its time, microseconds since 1970",
           [](const OomInJson& oom) { return time_of(oom.record, oom.mark.state); }),
    member("requested_bytes", "Bytes that did not fit, rounded as the allocator does",
           part_of(&OomInJson::mark, &Mark::size_bytes)),
    member("device_free_bytes", "Free on the device, as CUDA said; null where it could not", free_bytes_at));

constexpr auto kTimelineDevice = json_object<Part>(
    {.meaning = "A device", .name = "timeline"},
    member(
        "device", "", [](const Part& part) { return part.record.device; }, kDeviceForm),
    member("headline", "The peak, and who held most of it", part_of(&Part::story, &Story::headline)),
    member("answer", "What more there is to say", part_of(&Part::story, &Story::answer)),
    member("events", "Events of the device", [](const Part& part) { return part.record.events; }),
    member("from_event",
           "The curve begins after this event, index from 0 in the events of its device; -1: before the first",
           [](const Part& part) { return event_of(part.window.first); })
        .at_least(-1),
    member("to_event", "and ends after this one", [](const Part& part) { return event_of(part.window.last); })
        .at_least(-1),
    member("allocations", "Allocations in the events", [](const Part& part) { return part.record.lives.size(); }),
    member("peak", "The highest point between from_event and to_event", std::identity(), kPeak),
    member("ooms", "Between from_event and to_event", ooms_of, kOom),
    member("curve",
           "Ascending; it stays so until the next point. Every change where these are at most 4,500; else the highest, "
           "the lowest and the last of equal parts",
           part_of(&Part::chart, &BandChart::slices),
           made_by(
               [](const Part& part, const Slice& slice) {
                 return PointInJson{part.record, slice};
               },
               kPoint)));

constexpr auto kTimeline = json_described<TimelineInJson>(
    {.schema = "memviz.timeline/1.2",
     .title = "memviz timeline --json",
     .meaning = "What lived over the recording, by device: the curve, and who held its peak"},
    member("file", kSnapshotMeaning,
           [](const TimelineInJson& timeline) -> const std::string& { return timeline.file; }),
    member(
        "rehearsal", "",
        [](const TimelineInJson& timeline) -> const std::optional<Rehearsal>& {
          return timeline.state.recording->origin.rehearsal;
        },
        kRehearsal)
        .if_any(),
    member("devices", "Each device, or the one of --device", &TimelineInJson::parts,
           limited([](const TimelineInJson& timeline) -> TextLimit& { return timeline.limit; },
                   made_by(part_of_device, kTimelineDevice))),
    member("warnings", kWarningsMeaning,
           [](const TimelineInJson& timeline) { return warnings_and_losses(timeline.state); }));

} // namespace

std::string timeline_json(const std::string& file, const MemoryState& state, std::span<const TimelinePart> parts) {
  const LifeLines lines(state);
  TextLimit limit(state.recording->origin.size_bytes, "--device makes less");
  return document_text(kTimeline, {file, state, parts, lines, limit});
}

std::string timeline_schema() {
  return schema_text(kTimeline);
}

} // namespace memviz
