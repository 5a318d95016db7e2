#include "engine/answers.hpp"

#include "memviz/answers.hpp"
#include "memviz/compare_report.hpp"
#include "memviz/error.hpp"
#include "memviz/export.hpp"
#include "memviz/svg.hpp"
#include "memviz/timeline_json.hpp"
#include "memviz/timeline_svg.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace memviz::view {

namespace {

/// Returns the value of the first name that is the request's; the last one for no word at all.
template <class Value, std::size_t kCount>
Value choice_of(const Request& request, std::string_view member,
                const std::array<std::pair<std::string_view, Value>, kCount>& choices) {
  const std::string word = request.text(member);
  for (const auto& [name, value] : choices)
    if (word == name) return value;
  if (word.empty()) return choices.back().second;
  throw UsageError(fmt::format("there is no {} '{}'", member, word));
}

std::optional<ColorBy> color_of(const Request& request) {
  return choice_of<std::optional<ColorBy>, 5>(request, "color",
                                              {{{"kind", ColorBy::kind},
                                                {"line", ColorBy::line},
                                                {"keeper", ColorBy::keeper},
                                                {"origin", ColorBy::origin},
                                                {"", std::nullopt}}});
}

/// Returns the memory at "at", in the form that the answers of the program take.
Loaded loaded(PageFile& file, const Request& request) {
  check_device(file.name(), file.recording(), request.device());
  return {{.state = *file.state_at(request.text("at", "auto"), request.device())}, file.name()};
}

/// The moment is that of the loaded state.
Scope scope_of(const Request& request) {
  return {.device = request.device()};
}

/// The range is given in states of the device; a flame graph of all devices has none.
LifeRange lives_of(PageFile& file, const Request& request) {
  const auto of = choice_of<LivesOf, 4>(
      request, "lives",
      {{{"born", LivesOf::born}, {"freed", LivesOf::freed}, {"live", LivesOf::all}, {"", LivesOf::all}}});
  if (of == LivesOf::all) return {};
  for (const DeviceRecord& record : file.timeline()) {
    if (record.device != request.device()) continue;
    const Window window = request.window(record.events);
    return {of, window.first, window.last};
  }
  return {};
}

FlameAnswer flame_of(PageFile& file, const Request& request) {
  FlameQuestion question{.scope = scope_of(request)};
  question.tree.lives = lives_of(file, request);
  return flame_answer(question, loaded(file, request));
}

StateAnswer board_of(PageFile& file, const Request& request) {
  return {{.scope = scope_of(request)}, loaded(file, request)};
}

StatsAnswer stats_of(PageFile& file, const Request& request) {
  Loaded all = loaded(file, request);
  all.peak_kinds = file.peak_kinds();
  return stats_answer({.scope = scope_of(request)}, std::move(all));
}

ExplainAnswer explained(PageFile& file, const Request& request) {
  return explain_answer({.scope = scope_of(request)}, loaded(file, request));
}

/// Returns the timelines of the requested devices, as a picture or as JSON takes them.
template <class Part> std::vector<Part> timelines_of(PageFile& file, const Request& request) {
  check_device(file.name(), file.recording(), request.device());
  std::vector<Part> parts;
  for (const DeviceRecord& record : file.timeline())
    if (!request.device() || record.device == *request.device())
      parts.push_back({record, request.window(record.events)});
  return parts;
}

std::string timeline_picture(PageFile& file, const Request& request) {
  const auto devices = timelines_of<TimelineDevice>(file, request);
  TimelineSvgOptions options;
  options.view = choice_of<TimelineView, 4>(request, "view",
                                            {{{"segments", TimelineView::segments},
                                              {"pools", TimelineView::pools},
                                              {"active", TimelineView::active},
                                              {"", TimelineView::active}}});
  options.axis = choice_of<TimelineAxis, 3>(
      request, "axis", {{{"time", TimelineAxis::time}, {"event", TimelineAxis::event}, {"", TimelineAxis::event}}});
  options.color = color_of(request).value_or(ColorBy::line);
  return timeline_svg({picture_name(file.name()), file.end(), devices}, options);
}

/// Returns one side of a request: the file at its moment.
ComparedSide compared_side(PageFile& file, const std::string& moment, std::optional<DeviceId> device) {
  return side_of(file.name(), *file.state_at(moment, device), file.segment_times());
}

CompareAnswer compared(Engine& engine, const Request& request) {
  const std::optional<DeviceId> device = request.device();
  PageFile& before = engine.file(request);
  PageFile& after = engine.file(request, "other");
  return compare_answer({.device = device}, compared_side(before, request.text("before", "auto"), device),
                        compared_side(after, request.text("after", "auto"), device));
}

} // namespace

std::string picture_of(Engine& engine, const Request& request) {
  PageFile& file = engine.file(request);
  const std::string of = request.text("of");
  if (of == "timeline") return timeline_picture(file, request);
  if (of == "flame")
    return flame_svg(memviz::picture_of(flame_of(file, request)),
                     {.upward = request.flag("upward"), .color = color_of(request)});
  if (of == "state") return state_svg(memviz::picture_of(board_of(file, request)), {.color = color_of(request)});
  if (of == "explain") return explain_svg(memviz::picture_of(explained(file, request)), {});
  throw UsageError("there is no picture '" + of + "'");
}

std::string comparison_of(Engine& engine, const Request& request) {
  const CompareAnswer answer = compared(engine, request);
  return compare_svg(memviz::picture_of(answer, report_of(answer)), {});
}

std::string text_of(Engine& engine, const Request& request) {
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
