#include "answers/question_options.hpp"
#include "base/path_ends.hpp"
#include "cli/frame/command.hpp"
#include "cli/frame/outputs.hpp"
#include "cli/frame/picture_output.hpp"
#include "cli/frame/snapshot_file.hpp"
#include "cli/frame/step_options.hpp"
#include "memviz/answers.hpp"
#include "memviz/error.hpp"
#include "memviz/overlay_svg.hpp"
#include "memviz/warnings.hpp"

#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

namespace memviz::cli {

namespace {

struct TimelineCommand : CommandOptions {
  PictureOptions picture;
  std::optional<std::string> json;
  TimelineDrawing timeline;
  LeakOptions leaks; ///< the steps of two files
  TimelineQuestion question;
};

OptionList<TimelineCommand> timeline_options() {
  return joined<TimelineCommand>(
      {within<TimelineCommand>(&TimelineCommand::picture,
                               {output_option("the picture; - is standard output (required, except with --json)")}),
       {json_option(&TimelineCommand::json,
                    "with live and reserved bytes where they change, and who held the peak, for any --view")},
       within<TimelineCommand>(&TimelineCommand::timeline, timeline_drawing_options()),
       within<TimelineCommand>(&TimelineCommand::question, timeline_question_options()),
       within<TimelineCommand>(&TimelineCommand::leaks, all_rare(step_options())),
       within<TimelineCommand>(&TimelineCommand::picture,
                               drawing_options({color_or_keeper_option("line"), size_option("draw fewer bands")})),
       within<TimelineCommand>(&TimelineCommand::picture, picture_format_options()),
       kinds_options<TimelineCommand>(),
       snapshot_options<TimelineCommand>()});
}

void check_overlay(const TimelineCommand& options) {
  if (options.operands.size() > 2) throw UsageError("timeline draws one file, or one over another: name at most two");
  if (!options.picture.output) throw UsageError("two files are one picture: add -o timeline.svg");
  if (options.json) throw UsageError("--json is for one file: use compare A B --by-step --json for the steps of two");
  if (options.question.from || options.question.to || options.picture.drawing.color || options.timeline.detail ||
      options.timeline.view != TimelineView::active)
    throw UsageError("two files are drawn as two lines: omit --from, --to, --view, --detail and --color");
}

/// Draws two runs, one over the other.
int run_overlay(const TimelineCommand& options) {
  check_overlay(options);
  check_picture(options.picture);
  check_outputs(options, {{"-o", options.picture.output}});
  const std::optional<DeviceId> device = options.question.device;
  const Loaded before = load(options.operands[0], options.file, {.events = true}, device);
  const Loaded after = load(options.operands[1], options.file, {.events = true}, device);
  const Overlay overlay = overlay_of(
      before.state, after.state,
      {.axis = options.timeline.axis, .device = device, .steps = step_choice_of(options.file, options.leaks.steps)});
  const auto [before_name, after_name] = told_apart(before.name, after.name);
  OverlayPicture picture{before_name, after_name, overlay};
  for (const auto& [loaded, name] : {std::pair(&before, before_name), std::pair(&after, after_name)}) {
    for (const std::string& warning : warnings_of(loaded->state))
      picture.warnings.push_back(name + ": " + warning);
    say_warnings(options.file, name, warnings_of(loaded->state));
  }
  const std::string drawn = overlay_svg(picture, svg_options(options.picture.drawing));
  check_redacted(options.file, drawn);
  write_picture(options.file, options.picture, drawn);
  return kSuccess;
}

int run_timeline(const TimelineCommand& options) {
  if (options.operands.size() > 1) return run_overlay(options);
  if (options.timeline.axis == OverlayAxis::step || options.leaks.steps.source != StepSource::none)
    throw UsageError("--axis step and --steps are for two files, one drawn over the other");
  const std::optional<std::string>& output = options.picture.output;
  if (!output && !options.json)
    throw UsageError("timeline needs an output: add -o timeline.svg, or -o - for standard output");
  check_picture(options.picture);
  check_outputs(options, {{"-o", output}, {"--json", options.json}});

  const TimelineSvgOptions svg = svg_options(options.timeline, options.picture.drawing);
  TimelineQuestion question = options.question;
  question.kinds = options.json || svg.view != TimelineView::segments;
  Loaded loaded = load_one(options, wants_of(question), question.device);
  const std::string name = loaded.name;
  const TimelineAnswer answer = naming_file(name, [&] {
    check_color(options.picture.drawing, *loaded.state.recording);
    return timeline_answer(question, std::move(loaded));
  });
  const std::string json = options.json ? naming_file(name, [&] { return json_of(answer); }) : std::string();
  const std::string picture =
      output ? naming_file(name, [&] { return timeline_svg(picture_of(answer), svg); }) : std::string();
  check_redacted(options.file, picture);
  if (options.json) write_output(options.file, *options.json, json);
  if (output) write_picture(options.file, options.picture, picture);
  return kSuccess;
}

} // namespace

Command timeline_command() {
  const CommandText text{
      .name = "timeline",
      .operands = "SNAPSHOT [AFTER] -o FILE [options]",
      .operand_count = 1,
      .summary = "a picture of live memory over the recording: its peak, and who held it",
      .text = "Draws one SVG of the live requested bytes over the recorded events: the largest allocations as bands, "
              "all others and earlier memory as strips, coloured by line of code, or with --color kind as layers of "
              "parameters, gradients, activations, ... The peak, out-of-memory errors, earlier snapshots and "
              "annotations are marked; a line shows reserved memory. For two files it draws the live bytes of one over "
              "those of the other: by step if the steps of both are known, else by event.",
      .examples = "  memviz timeline mem.pickle -o timeline.svg\n"
                  "  memviz timeline mem.pickle --color kind -o kinds.svg\n"
                  "  memviz timeline oom.pickle --device 1 --axis time -o timeline.svg\n"
                  "  memviz timeline mem.pickle --json - | jq '.devices[0].peak.holders[:3]'\n"
                  "  memviz timeline mem.pickle --from 1000 --to 2000 --detail 500 -o part.svg\n"
                  "  memviz timeline before.pickle after.pickle -o both.svg\n",
      .takes_several = true,
  };
  return command(text, timeline_options(), run_timeline);
}

} // namespace memviz::cli
