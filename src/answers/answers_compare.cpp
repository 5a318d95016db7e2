#include "base/capitalized.hpp"
#include "memviz/answers.hpp"
#include "memviz/story.hpp"
#include "memviz/warnings.hpp"
#include "story/moment_words.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

namespace {

bool has_device(const Recording& recording, DeviceId device) {
  const auto devices = recording.devices();
  return std::ranges::find(devices, device) != devices.end();
}

CompareOptions options_of(const CompareQuestion& question, const ComparedSide& before, const ComparedSide& after) {
  const Recording& first = *before.state.recording;
  const Recording& second = *after.state.recording;
  const bool before_has_more = first.devices().size() > second.devices().size();
  CompareOptions options;
  options.match = question.match;
  options.tree = resolved(question.tree, before_has_more ? before.state : after.state, question.device);
  options.before_times = &before.segment_times;
  options.after_times = &after.segment_times;
  if (question.tree.group) return options;
  // One side may have only a GPU, and the other only host memory.
  std::vector<Level>& levels = options.tree.levels;
  const bool has_host = has_device(first, kHostDevice) || has_device(second, kHostDevice);
  if (has_host && !question.device && std::ranges::find(levels, Level::device) == levels.end())
    levels.insert(levels.begin(), Level::device);
  // By default streams are not distinguished, because their numbers differ from one process to the next.
  if (!question.tree.view) std::erase(levels, Level::stream);
  return options;
}

/// Sentences of remarks that have no full stop.
std::vector<std::string> picture_notes(const CompareReport& report) {
  std::vector<std::string> notes;
  if (report.steps)
    for (const StepComparison& steps : *report.steps)
      notes.push_back(capitalized(steps_difference_text(steps, report.steps->size() > 1)) + ".");
  if (!report.environment.empty()) notes.push_back(capitalized(environment_text(report.environment)) + ".");
  return notes;
}

} // namespace

Wants wants_of(const CompareQuestion& question, const MomentChoice& moment, SegmentTimes& times) {
  return {.moment = moment, .births = needs_births(question.tree), .kinds = true, .sink = &times};
}

ComparedSide side_of(std::string name, MemoryState state, SegmentTimes times) {
  ComparedSide side{std::move(name), std::move(state), std::move(times)};
  for (const std::string& warning : warnings_of(side.state))
    side.warnings.push_back(side.name + ": " + warning);
  return side;
}

CompareAnswer compare_answer(const CompareQuestion& question, ComparedSide before, ComparedSide after) {
  if (question.device && !has_device(*before.state.recording, *question.device))
    check_device(after.name, *after.state.recording, question.device);
  check_keepers(question.tree, before.state);
  check_keepers(question.tree, after.state);
  Comparison comparison = compare_snapshots(before.state, after.state, options_of(question, before, after));
  return {question, std::move(before), std::move(after), std::move(comparison)};
}

CompareReport report_of(const CompareAnswer& answer) {
  const auto side_of_report = [&](const ComparedSide& side) {
    return CompareSide{side.name, moments_text(side.state.devices_of(answer.question.device))};
  };
  CompareReport report{side_of_report(answer.before), side_of_report(answer.after), answer.comparison};
  report.warnings = answer.before.warnings;
  report.warnings.insert(report.warnings.end(), answer.after.warnings.begin(), answer.after.warnings.end());
  for (const std::string& warning : {uneven_text(report), other_devices_text(report)})
    if (!warning.empty()) report.warnings.push_back(warning);
  report.environment = environment_changes(*answer.before.state.recording, *answer.after.state.recording);
  return report;
}

ComparePicture picture_of(const CompareAnswer& answer, const CompareReport& report) {
  ComparePicture picture{answer.before.name, answer.after.name, report.comparison, report.warnings};
  picture.before_facts = side_facts(answer.before.state, answer.question.device);
  picture.after_facts = side_facts(answer.after.state, answer.question.device);
  picture.notes = picture_notes(report);
  return picture;
}

} // namespace memviz
