#include "analysis/steps/steps.hpp"

#include "analysis/steps/repetition.hpp"
#include "base/saturating.hpp"
#include "memviz/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace memviz {

namespace {

/// Returns the first event at or after each of the times, which ascend.
std::vector<std::uint64_t> events_at(const EventTable& events, const std::vector<std::int64_t>& times) {
  std::vector<std::uint64_t> starts;
  auto next = times.begin();
  for (std::size_t i = 0; i < events.size() && next != times.end(); ++i) {
    const auto time_us = events[i].time_us;
    if (!time_us || *time_us < *next) continue;
    starts.push_back(i);
    // Bisects instead of walking, because many devices may share the marks of one.
    next = std::upper_bound(next, times.end(), *time_us);
  }
  return starts;
}

/// Finds steps by annotations, for events that have times.
Steps annotated(const EventTable& events, const Marks& marks) {
  const auto& times = marks.times_us;
  const auto later = std::lower_bound(times.begin(), times.end(), events[0].time_us.value_or(0));
  return {.source = StepSource::annotation,
          .name = marks.name,
          .starts = events_at(events, times),
          .marks = times.size(),
          .later_marks = static_cast<std::uint64_t>(times.end() - later)};
}

/// Whether a forward and a backward pass are in each of most steps that begin at the marks, as far as there are events.
bool are_steps(const EventTable& events, const Marks& marks, const std::vector<PassChange>& changes) {
  if (changes.empty()) return false;
  const auto time_of = [&](std::size_t event) { return events[event].time_us.value_or(0); };
  const auto first = std::ranges::lower_bound(marks.times_us, time_of(0));
  const auto last = std::ranges::upper_bound(marks.times_us, time_of(events.size() - 1));
  if (first >= last) return false;
  return have_both_passes(std::span(first, last), std::span(changes), time_of);
}

bool has_times(const EventTable& events) {
  return !events.empty() && events[0].time_us.has_value();
}

void require_times(const EventTable& events) {
  if (!has_times(events))
    throw UsageError("the events have no times (PyTorch before 2.2), so steps must be given as --steps events:N");
}

Steps every(const EventTable& events, std::uint64_t length) {
  Steps steps{.source = StepSource::events, .are_known = true};
  for (std::uint64_t start = 0; start < events.size() && length > 0; start = saturating_sum(start, length))
    steps.starts.push_back(start);
  return steps;
}

Steps timed(const EventTable& events, std::uint64_t length_us) {
  require_times(events);
  Steps steps{.source = StepSource::time, .are_known = true};
  const std::int64_t first_us = *events[0].time_us;
  std::optional<std::uint64_t> last;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::int64_t since_us = saturating_difference(events[i].time_us.value_or(first_us), first_us);
    if (since_us < 0) continue;
    const std::uint64_t number = static_cast<std::uint64_t>(since_us) / length_us;
    if (last && number <= *last) continue;
    steps.starts.push_back(i);
    last = number;
  }
  return steps;
}

void keep_last(Steps& steps) {
  if (steps.starts.size() <= kMostSteps) return;
  steps.left_out = steps.starts.size() - kMostSteps;
  steps.starts.erase(steps.starts.begin(), steps.starts.begin() + static_cast<std::ptrdiff_t>(steps.left_out));
}

std::optional<std::string> wanted_name(const StepChoice& choice) {
  return choice.source == StepSource::annotation ? std::optional(choice.annotation) : std::nullopt;
}

} // namespace

void check_annotation(const Recording& recording, const StepChoice& choice) {
  if (choice.source != StepSource::annotation) return;
  if (recording.annotations.empty()) throw UsageError("--steps annotation: the recording has no annotations");
  throw UsageError(fmt::format("--steps annotation:{}: no such annotation begins while events are recorded; the "
                               "recording has, for example, '{}'",
                               choice.annotation, recording.frames.text(recording.annotations.front().name)));
}

StepFinder::StepFinder(const Recording& recording, const StepChoice& choice)
    : recording_(recording), choice_(choice), marks_(recording, wanted_name(choice)), passes_(recording.frames) {
}

Steps StepFinder::steps_of(DeviceId device) {
  const EventTable& events = recording_.events_of(device);
  Steps steps;
  switch (choice_.source) {
  case StepSource::annotation:
    require_times(events);
    if (const auto& marks = marks_.of(device); !marks.empty()) steps = annotated(events, marks.front());
    steps.source = StepSource::annotation;
    steps.name = choice_.annotation;
    steps.are_known = true;
    break;
  case StepSource::events: steps = every(events, choice_.length); break;
  case StepSource::time: steps = timed(events, std::max<std::uint64_t>(choice_.length, 1)); break;
  case StepSource::none:
  case StepSource::repetition: steps = found(device); break;
  }
  keep_last(steps);
  return steps;
}

Steps StepFinder::found_by_marks(DeviceId device, const std::vector<PassChange>& changes) {
  const EventTable& events = recording_.events_of(device);
  Steps guess;
  if (!has_times(events)) return guess;
  for (const Marks& marks : marks_.of(device)) {
    // An optimizer's steps are accepted if no stack shows what happens in them.
    const bool is_step = marks.rank >= StepRank::profiler || (marks.rank == StepRank::optimizer && changes.empty());
    if (is_step || are_steps(events, marks, changes)) {
      Steps steps = annotated(events, marks);
      steps.are_known = true;
      // A name that does not refer to steps must behave like one that does.
      if (marks.rank >= StepRank::word || is_even(steps.starts, events.size())) return steps;
    } else if (marks.rank >= StepRank::word && guess.source == StepSource::none) {
      guess = annotated(events, marks);
    }
  }
  return guess;
}

Steps StepFinder::found(DeviceId device) {
  const EventTable& events = recording_.events_of(device);
  const std::vector<PassChange> changes = passes_.changes_in(events);
  Steps marked = found_by_marks(device, changes);
  if (marked.are_known) return marked;
  Repetition repetition = find_repetition(recording_.frames, events, changes);
  const bool is_marked = marked.source != StepSource::none;
  if (repetition.starts.empty() || (is_marked && !repetition.has_both_passes)) return marked;
  return {.source = StepSource::repetition,
          .starts = std::move(repetition.starts),
          .anchors = repetition.anchors,
          .have_both_passes = repetition.has_both_passes};
}

} // namespace memviz
