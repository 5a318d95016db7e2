#include "engine/answers.hpp"

#include "answers/drawing_options.hpp"
#include "answers/question_options.hpp"
#include "memviz/answers.hpp"
#include "memviz/compare_report.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/svg.hpp"
#include "memviz/timeline_json.hpp"
#include "memviz/timeline_svg.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz::view {

namespace {

/// Returns the memory at "at", in the form that the answers of the program take.
Loaded loaded(PageFile& file, const PageRequest& request, std::string_view usual = "auto") {
  check_device(file.name(), file.recording(), request.device());
  return {{.state = *file.state_at(request.text("at", usual), request.device())}, file.name()};
}

/// The moment is that of the loaded state.
Scope scope_of(const PageRequest& request) {
  return {.device = request.device()};
}

/// Returns the word of a member; "" by default. Throws UsageError if it is none of `words`.
std::string word_of(const PageRequest& request, std::string_view member, const std::vector<std::string_view>& words) {
  std::string word = request.text(member);
  if (word.empty() || std::ranges::find(words, word) != words.end()) return word;
  throw UsageError(fmt::format("there is no {} '{}'", member, word));
}

/// The range is given in states of the device; a flame graph of all devices has none.
LifeRange lives_of(PageFile& file, const PageRequest& request) {
  const std::string of = word_of(request, "lives", {"live", "born", "freed"});
  if (of.empty() || of == "live") return {};
  for (const DeviceRecord& record : file.timeline()) {
    if (record.device != request.device()) continue;
    const Window window = request.window(record.events);
    return {of == "born" ? LivesOf::born : LivesOf::freed, window.first, window.last};
  }
  return {};
}

/// Returns the lines or keepers that have hues in the page, if the request wants the colours of the page.
std::vector<NodeKey> hued_lines(PageFile& file, const PageRequest& request) {
  const std::string by = word_of(request, "hues", {"line", "kind", "keeper", "origin"});
  const bool has_lines = !by.empty() && !file.timeline().empty();
  return has_lines ? file.walk(request.device()).classes(by).hued : std::vector<NodeKey>();
}

FlameAnswer flame_of(PageFile& file, const PageRequest& request) {
  FlameQuestion question{.scope = scope_of(request), .tree = request.filled(flame_tree_options())};
  question.tree.lives = lives_of(file, request);
  const bool is_end = needs_keepers(question.tree); // by default, as in moment_of()
  return flame_answer(question, loaded(file, request, is_end ? "end" : "auto"));
}

std::string flame_picture(PageFile& file, const PageRequest& request) {
  OptionList<DrawingChoice> options = flame_drawing_options();
  options.push_back(color_option("origin"));
  const FlameAnswer answer = flame_of(file, request);
  SvgOptions svg = svg_options(request.filled(options), frames_of(answer.question.tree));
  svg.hued_lines = hued_lines(file, request);
  return flame_svg(memviz::picture_of(answer), svg);
}

StateAnswer board_of(PageFile& file, const PageRequest& request) {
  return {{.scope = scope_of(request)}, loaded(file, request)};
}

std::string state_picture(PageFile& file, const PageRequest& request) {
  const auto drawing = request.filled<DrawingChoice>({color_or_keeper_option("line"), size_option("")});
  check_color(drawing, file.recording());
  SvgOptions svg = svg_options(drawing);
  svg.hued_lines = hued_lines(file, request);
  return state_svg(memviz::picture_of(board_of(file, request)), svg);
}

StatsAnswer stats_of(PageFile& file, const PageRequest& request) {
  Loaded all = loaded(file, request);
  all.also = file.at_peaks();
  return stats_answer({.scope = scope_of(request)}, std::move(all));
}

ExplainAnswer explained(PageFile& file, const PageRequest& request) {
  ExplainQuestion question{.scope = scope_of(request)};
  request.fill(question, {capacity_option()});
  return explain_answer(question, loaded(file, request));
}

/// Returns the timelines of the requested devices, as a picture or as JSON takes them.
template <class Part> std::vector<Part> timelines_of(PageFile& file, const PageRequest& request) {
  check_device(file.name(), file.recording(), request.device());
  std::vector<Part> parts;
  for (const DeviceRecord& record : file.timeline())
    if (!request.device() || record.device == *request.device())
      parts.push_back({record, request.window(record.events)});
  return parts;
}

std::string timeline_picture(PageFile& file, const PageRequest& request) {
  const auto drawing = request.filled<DrawingChoice>({color_or_keeper_option("line"), size_option("")});
  TimelineSvgOptions svg = svg_options(request.filled(timeline_drawing_options()), drawing);
  svg.hued_lines = hued_lines(file, request);
  check_color(drawing, file.recording());
  const auto devices = timelines_of<TimelineDevice>(file, request);
  return timeline_svg({picture_name(file.name()), file.end(), devices}, svg);
}

CompareAnswer compared(Engine& engine, const PageRequest& request) {
  auto question = request.filled<CompareQuestion>({match_option()});
  question.device = request.device();
  request.fill(question.tree, compare_tree_options());
  const auto side = [&](std::string_view file_member, std::string_view moment_member) {
    PageFile& file = engine.file(request, file_member);
    const auto state = file.state_at(request.text(moment_member, "auto"), question.device);
    return side_of(file.name(), *state, file.segment_times());
  };
  return compare_answer(question, side("file", "before"), side("other", "after"));
}

} // namespace

std::string picture_of(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  const std::string of = request.text("of");
  if (of == "timeline") return timeline_picture(file, request);
  if (of == "flame") return flame_picture(file, request);
  if (of == "state") return state_picture(file, request);
  if (of == "explain") return explain_svg(memviz::picture_of(explained(file, request)), {});
  throw UsageError("there is no picture '" + of + "'");
}

std::string comparison_of(Engine& engine, const PageRequest& request) {
  const CompareAnswer answer = compared(engine, request);
  const auto drawing = request.filled(flame_drawing_options());
  return compare_svg(memviz::picture_of(answer, report_of(answer)),
                     svg_options(drawing, frames_of(answer.question.tree)));
}

std::string text_of(Engine& engine, const PageRequest& request) {
  PageFile& file = engine.file(request);
  const std::string of = request.text("of");
  if (of == "explain") return explain_text(report_of(explained(file, request)));
  if (of == "explain_json") {
    const ExplainAnswer answer = explained(file, request);
    return explain_json(file.name(), answer.loaded.state, answer.devices);
  }
  if (of == "timeline") return timeline_json(file.name(), file.end(), timelines_of<TimelinePart>(file, request));
  if (of == "compare") return compare_json(report_of(compared(engine, request)));
  if (of == "flame") return whole_text(json_of(flame_of(file, request)));
  if (of == "stats") return json_of(stats_of(file, request));
  if (of == "state") return whole_text(json_of(board_of(file, request)));
  if (of == "folded") return folded_stacks(loaded(file, request).state, FoldedView::memory, request.device());
  throw UsageError("there is no text '" + of + "'");
}

} // namespace memviz::view
