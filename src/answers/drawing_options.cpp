#include "answers/drawing_options.hpp"

#include "answers/choice.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace memviz {

namespace {

Option<DrawingChoice> color_option_of(std::string_view standard, std::string_view more_words, Choices<ColorBy> more) {
  Choices<ColorBy> choices{{"origin", ColorBy::origin}, {"line", ColorBy::line}, {"kind", ColorBy::kind}};
  choices.insert(choices.end(), more.begin(), more.end());
  return one_of<DrawingChoice, std::optional<ColorBy>, ColorBy>(
      {"color", '\0', "BY",
       fmt::format("the meaning of colours. origin: your code, torch, other Python or C++; line: the line of your own "
                   "code, with the same colour in every picture; kind: parameter, gradient, activation, ... "
                   "(docs/kinds.md){} (default: {})",
                   more_words, standard)},
      &DrawingChoice::color, choices);
}

/// Returns what fits into memory of what a command line names.
std::size_t most_bytes(const SizeLimit& limit) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(limit.bytes, std::numeric_limits<std::size_t>::max()));
}

std::size_t parse_detail(std::string_view option, const std::string& word) {
  return static_cast<std::size_t>(parse_count(option, word, 0, 20'000));
}

} // namespace

Option<DrawingChoice> color_option(std::string_view standard) {
  return color_option_of(standard, "", {});
}

Option<DrawingChoice> color_or_keeper_option(std::string_view standard) {
  return color_option_of(standard, "; keeper: the variable that keeps it at the end (docs/keepers.md)",
                         {{"keeper", ColorBy::keeper}});
}

Option<DrawingChoice> size_option(std::string_view how) {
  return rare(parsed({"max-size", '\0', "SIZE",
                      fmt::format("{} until the file is no larger, for example 500K or 1MiB (default: 2M)", how)},
                     &DrawingChoice::max_size, parse_size_limit));
}

OptionList<DrawingChoice> flame_drawing_options() {
  return all_rare<DrawingChoice>({
      flag({"upward", '\0', "", "root at the bottom, stacks growing up"}, &DrawingChoice::is_upward),
      flag({"no-fold", '\0', "",
            "draw every frame as a separate box; by default runs of frames that are not your own are folded into "
            "one (--frames all never folds)"},
           &DrawingChoice::is_unfolded),
      size_option("merge small boxes"),
      parsed({"min-percent", '\0', "P", "merge boxes narrower than P percent of the picture into one per parent"},
             &DrawingChoice::min_percent, parse_percent),
  });
}

SvgOptions svg_options(const DrawingChoice& choice) {
  SvgOptions svg;
  if (choice.max_size) svg.max_bytes = most_bytes(*choice.max_size);
  svg.color = choice.color;
  return svg;
}

SvgOptions svg_options(const DrawingChoice& choice, FrameFilter frames) {
  SvgOptions svg = svg_options(choice);
  svg.upward = choice.is_upward;
  svg.fold = !choice.is_unfolded && frames != FrameFilter::all;
  if (choice.min_percent) svg.min_percent = *choice.min_percent;
  return svg;
}

void check_color(const DrawingChoice& choice, const Recording& recording) {
  if (choice.color == ColorBy::keeper) check_has_keepers(recording);
}

OptionList<TimelineDrawing> timeline_drawing_options() {
  return {
      one_of<TimelineDrawing, TimelineView, TimelineView>(
          {"view", '\0', "NAME",
           "active: allocations (default); segments: the memory reserved from the device; pools: a chart for each of "
           "the largest streams and private pools, and one for the rest"},
          &TimelineDrawing::view,
          {{"active", TimelineView::active}, {"segments", TimelineView::segments}, {"pools", TimelineView::pools}}),
      rare(parsed({"detail", '\0', "N",
                   "draw the N largest allocations as bands (default: all that are high enough to be visible)"},
                  &TimelineDrawing::detail, parse_detail)),
      one_of<TimelineDrawing, std::optional<OverlayAxis>, OverlayAxis>(
          {"axis", '\0', "AXIS",
           "event: evenly spaced events (default); time: to scale in time (default for several devices, which share a "
           "clock); step, for two files: by the steps of the program (default for two files whose steps are known)"},
          &TimelineDrawing::axis,
          {{"event", OverlayAxis::event}, {"time", OverlayAxis::time}, {"step", OverlayAxis::step}}),
  };
}

TimelineSvgOptions svg_options(const TimelineDrawing& timeline, const DrawingChoice& choice) {
  const bool is_segments = timeline.view == TimelineView::segments;
  if (choice.color == ColorBy::kind && is_segments)
    throw UsageError(
        "--color kind colours allocations, and a segment holds several kinds: omit --view segments, or --color");
  if (choice.color == ColorBy::keeper && is_segments)
    throw UsageError("--color keeper colours allocations, and no variable keeps a segment: omit --view segments, or "
                     "--color");
  TimelineSvgOptions svg{.view = timeline.view, .detail = timeline.detail};
  if (timeline.axis) svg.axis = *timeline.axis == OverlayAxis::time ? TimelineAxis::time : TimelineAxis::event;
  svg.color = choice.color.value_or(svg.color);
  if (choice.max_size) svg.max_bytes = most_bytes(*choice.max_size);
  return svg;
}

} // namespace memviz
