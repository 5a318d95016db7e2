#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/common_options.hpp"
#include "cli/files.hpp"
#include "cli/messages.hpp"
#include "cli/numbers.hpp"
#include "cli/picture_output.hpp"
#include "cli/sinks.hpp"
#include "cli/sizes.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/timeline_svg.hpp"

#include <algorithm>
#include <string>

namespace memviz::cli {

namespace {

struct Recorded {
  std::string name; ///< what messages and the picture call the file
  MemoryState state;
  std::vector<DeviceRecord> records;
};

Recorded record(const std::string& file, const Arguments& arguments) {
  std::string name = shown_name(file, arguments);
  return naming_file(name, [&] {
    Progress progress(picture_name(file), arguments.has("quiet"));
    Input input = opened(file, progress);
    Accounts accounts;
    TimelineRecorder recorder;
    BothSinks sinks(accounts, recorder);
    MemoryState state = accounts.state_of(decoded(input, &sinks, arguments, progress));
    std::vector<DeviceRecord> records = recorder.finish(*state.recording);
    return Recorded{std::move(name), std::move(state), std::move(records)};
  });
}

/// `--from` and `--to`: the index of an event, alone or as --at has it.
std::optional<std::uint64_t> event_of(const Arguments& arguments, std::string_view option) {
  const auto word = arguments.value(option);
  if (!word) return std::nullopt;
  constexpr std::string_view kEvent = "event:";
  const std::string_view digits = *word;
  const auto event = whole_number<std::uint64_t>(digits.starts_with(kEvent) ? digits.substr(kEvent.size()) : digits);
  if (!event)
    throw UsageError(fmt::format("--{} must be the index of an event, such as 1234, not '{}'", option, *word));
  return event;
}

Window window_of(const DeviceRecord& record, std::optional<std::uint64_t> from, std::optional<std::uint64_t> to) {
  Window window{0, record.events};
  if (from && *from < record.events) window.first = static_cast<std::uint32_t>(*from) + 1;
  if (to && *to < record.events) window.last = static_cast<std::uint32_t>(*to) + 1;
  return window;
}

void check_window(const std::vector<TimelineDevice>& devices, std::optional<std::uint64_t> from,
                  std::optional<std::uint64_t> to) {
  if (from && to && *from > *to) throw UsageError(fmt::format("--from {} lies behind --to {}", *from, *to));
  std::uint32_t most = 0;
  for (const TimelineDevice& device : devices)
    most = std::max(most, device.record.events);
  if (from && *from >= most)
    throw UsageError(fmt::format("--from {}: the recording has {} events, numbered from 0", *from, most));
}

TimelineSvgOptions timeline_options(const Arguments& arguments) {
  TimelineSvgOptions options;
  if (const auto word = arguments.value("axis"))
    options.axis = chosen<TimelineAxis>("axis", *word, {{"event", TimelineAxis::event}, {"time", TimelineAxis::time}});
  options.view = chosen<TimelineView>(
      "view", arguments.value("view").value_or("active"),
      {{"active", TimelineView::active}, {"segments", TimelineView::segments}, {"pools", TimelineView::pools}});
  if (const auto word = arguments.value("detail")) {
    constexpr std::size_t kMost = 20'000;
    const auto bands = whole_number<std::size_t>(*word);
    if (!bands || *bands > kMost)
      throw UsageError(fmt::format("--detail must be a number from 0 to {}, not '{}'", kMost, *word));
    options.detail = bands;
  }
  if (const auto size = arguments.value("max-size")) options.max_bytes = parse_bytes("max-size", *size);
  return options;
}

int run_timeline(const Arguments& arguments) {
  const auto output = arguments.value("output");
  if (!output) throw UsageError("timeline needs an output: add -o timeline.svg, or -o - for standard output");
  const TimelineSvgOptions options = timeline_options(arguments);
  const auto from = event_of(arguments, "from");
  const auto to = event_of(arguments, "to");
  const auto device = device_of(arguments);
  check_picture_output(arguments, *output);

  Recorded recorded = record(arguments.operands().front(), arguments);
  check_device(recorded.name, *recorded.state.recording, device);
  const std::string picture = naming_file(recorded.name, [&] {
    if (!arguments.has("quiet")) say_warnings(recorded.name, recorded.state.all_warnings());
    TimelinePicture drawn{.file = picture_name(recorded.name),
                          .state = recorded.state,
                          .devices = {},
                          .warnings = warnings_and_losses(recorded.state)};
    for (DeviceRecord& one : recorded.records) {
      if (device && one.device != *device) continue;
      const Window window = window_of(one, from, to);
      drawn.devices.push_back({std::move(one), window});
    }
    check_window(drawn.devices, from, to);
    return timeline_svg(drawn, options);
  });
  write_picture(arguments, *output, picture);
  return kSuccess;
}

} // namespace

Command timeline_command() {
  return {
      .name = "timeline",
      .operands = "SNAPSHOT -o FILE [options]",
      .operand_count = 1,
      .summary = "draw live memory over the recording: its peak, and who held it",
      .text = "Draws one SVG of the requested bytes that lived over the recorded events: the largest allocations as "
              "bands, all others and what lived before the first event as strips, coloured by line of code. The peak, "
              "out-of-memory errors, earlier snapshots and annotations are marked; a line shows reserved memory.",
      .examples = "  memviz timeline mem.pickle -o timeline.svg\n"
                  "  memviz timeline oom.pickle --device 1 --axis time -o timeline.svg\n"
                  "  memviz timeline mem.pickle --from 1000 --to 2000 --detail 500 -o part.svg\n",
      .options = joined({{{"output", 'o', "FILE", "the picture; - is standard output (required)"},
                          {"view", '\0', "NAME",
                           "active: allocations (default); segments: what was reserved from the device, and when; "
                           "pools: a chart for each of the largest streams and private pools, and one for the rest"},
                          {"axis", '\0', "AXIS",
                           "event: one step an event (default); time: to scale in time (default of several devices, "
                           "which share a clock)"},
                          {"detail", '\0', "N",
                           "draw the N largest allocations as bands (default: those that are high enough to be seen)"},
                          {"from", '\0', "EVENT", "begin after this event (default: before the first)"},
                          {"to", '\0', "EVENT", "end with this event (default: the last)"},
                          device_option(),
                          size_option("draw fewer bands")},
                         picture_format_options(),
                         redact_options(),
                         general_options()}),
      .run = run_timeline,
  };
}

} // namespace memviz::cli
