#include "cli/choice.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/picture_output.hpp"
#include "cli/scope.hpp"
#include "cli/sizes.hpp"
#include "cli/snapshot_file.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace memviz::cli {

namespace {

struct TimelineCommand : CommandOptions {
  PictureOptions picture;
  std::optional<std::string> json;
  TimelineSvgOptions svg;
  TimelineQuestion question;
};

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
  const OptionList<TimelineQuestion> question{
      parsed({"from", '\0', "EVENT", "begin after this event (default: before the first)"}, &TimelineQuestion::from,
             parse_event),
      parsed({"to", '\0', "EVENT", "end with this event (default: the last)"}, &TimelineQuestion::to, parse_event),
      parsed(device_text(), &TimelineQuestion::device, parse_device)};
  return joined<TimelineCommand>(
      {within<TimelineCommand>(&TimelineCommand::picture,
                               {output_option("the picture; - is standard output (required, but with --json)")}),
       {json_option(&TimelineCommand::json,
                    "with live and reserved bytes where they change, and who held the peak, whatever --view")},
       within<TimelineCommand>(&TimelineCommand::svg, drawing),
       within<TimelineCommand>(&TimelineCommand::question, question),
       within<TimelineCommand>(&TimelineCommand::picture, {color_option("line")}),
       within<TimelineCommand>(&TimelineCommand::picture, {size_option("draw fewer bands")}),
       within<TimelineCommand>(&TimelineCommand::picture, picture_format_options()),
       kinds_options<TimelineCommand>(),
       snapshot_options<TimelineCommand>()});
}

std::string drawn(const TimelineAnswer& answer, const TimelineCommand& options) {
  TimelineSvgOptions svg = options.svg;
  svg.color = options.picture.color.value_or(svg.color);
  if (options.picture.max_size) svg.max_bytes = options.picture.max_size->bytes;
  return timeline_svg(picture_of(answer), svg);
}

int run_timeline(const TimelineCommand& options) {
  const std::optional<std::string>& output = options.picture.output;
  if (!output && !options.json)
    throw UsageError("timeline needs an output: add -o timeline.svg, or -o - for standard output");
  check_picture(options.picture);
  check_outputs(options, {{"-o", output}, {"--json", options.json}});

  if (options.picture.color == ColorBy::kind && options.svg.view == TimelineView::segments)
    throw UsageError("--color kind colours allocations, and a segment holds several kinds: leave out --view "
                     "segments, or --color");

  TimelineQuestion question = options.question;
  question.kinds = options.json || options.svg.view != TimelineView::segments;
  Loaded loaded = load_one(options, wants_of(question), question.device);
  const std::string name = loaded.name;
  const TimelineAnswer answer = naming_file(name, [&] { return timeline_answer(question, std::move(loaded)); });
  const std::string json = options.json ? naming_file(name, [&] { return json_of(answer); }) : std::string();
  const std::string picture = output ? naming_file(name, [&] { return drawn(answer, options); }) : std::string();
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
