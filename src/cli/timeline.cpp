#include "base/whole_number.hpp"
#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/picture_output.hpp"
#include "cli/scope.hpp"
#include "cli/sizes.hpp"
#include "cli/snapshot_file.hpp"
#include "memviz/error.hpp"
#include "memviz/timeline_json.hpp"
#include "memviz/timeline_svg.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::cli {

namespace {

struct TimelineCommand : CommandOptions {
  PictureOptions picture;
  std::optional<std::string> json;
  TimelineSvgOptions svg;
  std::optional<std::uint64_t> from;
  std::optional<std::uint64_t> to;
  std::optional<DeviceId> device;
};

/// `--from` and `--to`: the index of an event, alone or as --at has it.
std::uint64_t parse_event(std::string_view option, const std::string& word) {
  constexpr std::string_view kEvent = "event:";
  const std::string_view digits = word;
  const auto event = whole_number<std::uint64_t>(digits.starts_with(kEvent) ? digits.substr(kEvent.size()) : digits);
  if (event) return *event;
  throw UsageError(fmt::format("--{} must be the index of an event, such as 1234, not '{}'", option, word));
}

std::size_t parse_detail(std::string_view option, const std::string& word) {
  return parse_count(option, word, 0, 20'000);
}

OptionList<TimelineCommand> timeline_options() {
  const OptionList<TimelineSvgOptions> drawing{
      one_of<TimelineSvgOptions, TimelineView, TimelineView>(
          {"view", '\0', "NAME",
           "active: allocations (default); segments: what was reserved from the device, and when; "
           "pools: a chart for each of the largest streams and private pools, and one for the rest"},
          &TimelineSvgOptions::view,
          {{"active", TimelineView::active}, {"segments", TimelineView::segments}, {"pools", TimelineView::pools}}),
      one_of<TimelineSvgOptions, std::optional<TimelineAxis>, TimelineAxis>(
          {"axis", '\0', "AXIS",
           "event: one step an event (default); time: to scale in time (default of several devices, "
           "which share a clock)"},
          &TimelineSvgOptions::axis, {{"event", TimelineAxis::event}, {"time", TimelineAxis::time}}),
      rare(parsed({"detail", '\0', "N",
                   "draw the N largest allocations as bands (default: those that are high enough to be seen)"},
                  &TimelineSvgOptions::detail, parse_detail)),
  };
  return joined<TimelineCommand>(
      {within<TimelineCommand>(&TimelineCommand::picture,
                               {output_option("the picture; - is standard output (required, but with --json)")}),
       {json_option(&TimelineCommand::json,
                    "with live and reserved bytes where they change, and who held the peak, whatever --view")},
       within<TimelineCommand>(&TimelineCommand::svg, drawing),
       {parsed({"from", '\0', "EVENT", "begin after this event (default: before the first)"}, &TimelineCommand::from,
               parse_event),
        parsed({"to", '\0', "EVENT", "end with this event (default: the last)"}, &TimelineCommand::to, parse_event),
        parsed(device_text(), &TimelineCommand::device, parse_device)},
       within<TimelineCommand>(&TimelineCommand::picture, {color_option("line")}),
       within<TimelineCommand>(&TimelineCommand::picture, {size_option("draw fewer bands")}),
       within<TimelineCommand>(&TimelineCommand::picture, picture_format_options()),
       kinds_options<TimelineCommand>(),
       snapshot_options<TimelineCommand>()});
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
  const auto check = [&](std::string_view option, std::optional<std::uint64_t> event) {
    if (event && *event >= most)
      throw UsageError(fmt::format("--{} {}: the recording has {} events, numbered from 0", option, *event, most));
  };
  check("from", from);
  check("to", to);
}

/// Takes the records out of `loaded`.
std::vector<TimelineDevice> devices_of(Loaded& loaded, const TimelineCommand& options) {
  std::vector<TimelineDevice> devices;
  for (DeviceRecord& one : loaded.timeline) {
    if (options.device && one.device != *options.device) continue;
    const Window window = window_of(one, options.from, options.to);
    devices.push_back({std::move(one), window});
  }
  check_window(devices, options.from, options.to);
  return devices;
}

std::string curves(const Loaded& loaded, const std::vector<TimelineDevice>& devices) {
  std::vector<TimelinePart> parts;
  for (const TimelineDevice& device : devices)
    parts.push_back({device.record, device.window});
  return timeline_json(loaded.name, loaded.state, parts);
}

std::string drawn(const Loaded& loaded, std::vector<TimelineDevice> devices, const TimelineCommand& options) {
  const TimelinePicture picture{
      .file = picture_name(loaded.name), .state = loaded.state, .devices = std::move(devices)};
  TimelineSvgOptions svg = options.svg;
  svg.color = options.picture.color.value_or(svg.color);
  if (options.picture.max_size) svg.max_bytes = options.picture.max_size->bytes;
  return timeline_svg(picture, svg);
}

int run_timeline(const TimelineCommand& options) {
  const std::optional<std::string>& output = options.picture.output;
  if (!output && !options.json)
    throw UsageError("timeline needs an output: add -o timeline.svg, or -o - for standard output");
  check_picture(options.picture);
  check_outputs(options, {{"-o", output}, {"--json", options.json}});

  const bool has_kinds = options.json || options.svg.view != TimelineView::segments;
  if (options.picture.color == ColorBy::kind && options.svg.view == TimelineView::segments)
    throw UsageError("--color kind is of allocations, and a segment holds those of several kinds: leave out --view "
                     "segments, or --color");

  Loaded loaded = load_one(options, {.kinds = has_kinds, .timeline = true}, options.device);
  std::vector<TimelineDevice> devices = naming_file(loaded.name, [&] { return devices_of(loaded, options); });
  const std::string json =
      options.json ? naming_file(loaded.name, [&] { return curves(loaded, devices); }) : std::string();
  const std::string picture =
      output ? naming_file(loaded.name, [&] { return drawn(loaded, std::move(devices), options); }) : std::string();
  check_redacted(options.file, picture);
  if (options.json) write_output(options.file, *options.json, json);
  if (output) write_picture(options.file, options.picture, picture);
  return kSuccess;
}

} // namespace

Command timeline_command() {
  const CommandText text{
      .name = "timeline",
      .operands = "SNAPSHOT -o FILE [options]",
      .operand_count = 1,
      .summary = "draw live memory over the recording: its peak, and who held it",
      .text = "Draws one SVG of the requested bytes that lived over the recorded events: the largest allocations as "
              "bands, all others and what lived before the first event as strips, coloured by line of code, or with "
              "--color kind "
              "as layers of parameters, gradients, activations, ... The peak, "
              "out-of-memory errors, earlier snapshots and annotations are marked; a line shows reserved memory.",
      .examples = "  memviz timeline mem.pickle -o timeline.svg\n"
                  "  memviz timeline mem.pickle --color kind -o kinds.svg\n"
                  "  memviz timeline oom.pickle --device 1 --axis time -o timeline.svg\n"
                  "  memviz timeline mem.pickle --json - | jq '.devices[0].peak.holders[:3]'\n"
                  "  memviz timeline mem.pickle --from 1000 --to 2000 --detail 500 -o part.svg\n",
  };
  return command(text, timeline_options(), run_timeline);
}

} // namespace memviz::cli
