#include "analysis/leaks/steps.hpp"

#include "analysis/leaks/repetition.hpp"
#include "base/printable.hpp"
#include "base/saturating.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace memviz {

namespace {

/// The first event at or after each of the times, which ascend; events before and after all others of their time.
std::vector<std::uint64_t> events_at(const EventTable& events, const std::vector<std::int64_t>& times) {
  std::vector<std::uint64_t> starts;
  auto next = times.begin();
  for (std::size_t i = 0; i < events.size() && next != times.end(); ++i) {
    const auto time_us = events[i].time_us;
    if (!time_us || *time_us < *next) continue;
    starts.push_back(i);
    // Not one by one: many devices may share the marks of one.
    next = std::upper_bound(next, times.end(), *time_us);
  }
  return starts;
}

/// Of events that have times.
Steps annotated(const EventTable& events, const Marks& marks) {
  const auto& times = marks.times_us;
  const auto later = std::lower_bound(times.begin(), times.end(), events[0].time_us.value_or(0));
  return {.source = StepSource::annotation,
          .name = marks.name,
          .starts = events_at(events, times),
          .marks = times.size(),
          .later_marks = static_cast<std::uint64_t>(times.end() - later)};
}

bool has_times(const EventTable& events) {
  return !events.empty() && events[0].time_us.has_value();
}

void require_times(const EventTable& events) {
  if (!has_times(events))
    throw UsageError("the events have no times (PyTorch before 2.2), so steps must be given as --steps events:N");
}

Steps every(const EventTable& events, std::uint64_t length) {
  Steps steps{.source = StepSource::events};
  for (std::uint64_t start = 0; start < events.size() && length > 0; start = saturating_sum(start, length))
    steps.starts.push_back(start);
  return steps;
}

Steps timed(const EventTable& events, std::uint64_t length_us) {
  require_times(events);
  Steps steps{.source = StepSource::time};
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

constexpr std::size_t kNameColumns = 48;

std::optional<std::string> wanted_name(const StepChoice& choice) {
  return choice.source == StepSource::annotation ? std::optional(choice.annotation) : std::nullopt;
}

} // namespace

StepFinder::StepFinder(const Recording& recording, const StepChoice& choice)
    : recording_(recording), choice_(choice), marks_(recording, wanted_name(choice)) {
}

Steps StepFinder::steps_of(DeviceId device) {
  const EventTable& events = recording_.events_of(device);
  Steps steps;
  switch (choice_.source) {
  case StepSource::annotation:
    require_times(events);
    steps = annotated(events, marks_.of(device));
    steps.name = choice_.annotation;
    break;
  case StepSource::events: steps = every(events, choice_.length); break;
  case StepSource::time: steps = timed(events, std::max<std::uint64_t>(choice_.length, 1)); break;
  case StepSource::none:
  case StepSource::repetition: steps = found(device); break;
  }
  keep_last(steps);
  steps.note = note_of(steps);
  return steps;
}

Steps StepFinder::found(DeviceId device) {
  const EventTable& events = recording_.events_of(device);
  if (has_times(events)) {
    if (const Marks& marks = marks_.of(device); marks.rank != StepRank::none) {
      Steps steps = annotated(events, marks);
      // A name that does not speak of steps has to behave like one that does.
      if (marks.rank >= StepRank::word || is_even(steps.starts, events.size())) return steps;
    }
  }
  Repetition repetition = find_repetition(recording_.frames, events);
  if (repetition.starts.empty()) return {};
  return {.source = StepSource::repetition, .starts = std::move(repetition.starts), .anchors = repetition.anchors};
}

std::string StepFinder::note_of(const Steps& steps) const {
  if (steps.starts.size() >= kFewestSteps) return "";
  if (steps.source == StepSource::none) {
    return recording_.annotations.empty()
               ? "no steps found: the recording has no annotations, and no stack allocates at even distances"
               : "no steps found: no annotation occurs three times, and no stack allocates at even distances";
  }
  if (steps.source == StepSource::annotation) {
    return fmt::format("only {} of the {} at '{}' {} events here, and it takes {} to tell", steps.starts.size(),
                       format_counted(steps.marks, "step"), elided(steps.name, kNameColumns),
                       steps.starts.size() == 1 ? "has" : "have", kFewestSteps);
  }
  return fmt::format("only {}, and it takes {} to tell growth from an accident",
                     format_counted(steps.starts.size(), "step"), kFewestSteps);
}

} // namespace memviz
