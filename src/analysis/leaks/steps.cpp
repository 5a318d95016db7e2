#include "analysis/leaks/repetition.hpp"
#include "memviz/error.hpp"
#include "memviz/format.hpp"
#include "memviz/leaks.hpp"
#include "value/saturating.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace memviz {

namespace {

/// "ProfilerStep#12" -> "ProfilerStep#*"
std::string numbered_name(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == name.size()) return std::string(name);
  return std::string(name.substr(0, end + 1)) + '*';
}

bool matches(std::string_view wanted, std::string_view name) {
  if (wanted.ends_with('*')) return name.starts_with(wanted.substr(0, wanted.size() - 1));
  return name == wanted;
}

bool is_start(const Snapshot& snapshot, const Annotation& annotation) {
  return snapshot.frames.text(annotation.stage) != "END";
}

/// The marks that are about this device: its own, or in a file that names another one only, all.
std::vector<const Annotation*> starts_for(const Snapshot& snapshot, std::uint32_t device) {
  std::vector<const Annotation*> own;
  std::vector<const Annotation*> all;
  for (const Annotation& annotation : snapshot.annotations) {
    if (!is_start(snapshot, annotation)) continue;
    all.push_back(&annotation);
    if (annotation.device == device) own.push_back(&annotation);
  }
  return own.empty() ? all : own;
}

bool contains_ignoring_case(std::string_view text, std::string_view word) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [&](char one, char other) { return lower(one) == other; }) != text.end();
}

constexpr int kAnyName = 1;

/// How well a name that stands `count` times says "step", by falling rank.
int rank_of(std::string_view name, std::size_t count) {
  // What torch.compile does while it compiles.
  if (count < kFewestSteps || name.find("dynamo_timed") != std::string_view::npos) return 0;
  constexpr std::array<std::string_view, 3> kWords{"step", "iter", "batch"};
  constexpr std::size_t kEnough = 5;
  int rank = count >= kEnough ? 2 : kAnyName;
  if (std::any_of(kWords.begin(), kWords.end(), [&](auto word) { return contains_ignoring_case(name, word); }))
    rank = 3;
  if (name.starts_with("Optimizer.step")) rank = 4;
  if (name.starts_with("ProfilerStep#")) rank = 5;
  return rank;
}

struct StepName {
  std::string name;
  int rank = 0;
};

/// The name that says best where steps begin; of equals the one with the fewest, which holds the others.
StepName best_name(const Snapshot& snapshot, std::uint32_t device) {
  std::map<std::string, std::size_t> counts;
  for (const Annotation* annotation : starts_for(snapshot, device))
    ++counts[numbered_name(snapshot.frames.text(annotation->name))];
  StepName best;
  for (const auto& [name, count] : counts) {
    const int rank = rank_of(name, count);
    if (rank < best.rank || rank == 0 || (rank == best.rank && count >= counts[best.name])) continue;
    best = {name, rank};
  }
  return best;
}

/// The first event at or after each of the times, which ascend; events before and after all others of their time.
std::vector<std::uint64_t> events_at(const EventTable& events, const std::vector<std::int64_t>& times) {
  std::vector<std::uint64_t> starts;
  std::size_t next = 0;
  for (std::size_t i = 0; i < events.size() && next < times.size(); ++i) {
    const auto time_us = events[i].time_us;
    if (!time_us || *time_us < times[next]) continue;
    starts.push_back(i);
    while (next < times.size() && times[next] <= *time_us)
      ++next;
  }
  return starts;
}

bool has_times(const EventTable& events) {
  return !events.empty() && events[0].time_us.has_value();
}

void require_times(const EventTable& events) {
  if (!has_times(events))
    throw UsageError("the events have no times (PyTorch before 2.2), so steps must be given as --steps events:N");
}

Steps annotated(const Snapshot& snapshot, std::uint32_t device, const std::string& name) {
  Steps steps{StepSource::annotation, name, {}, 0, 0, {}};
  std::vector<std::int64_t> times;
  for (const Annotation* annotation : starts_for(snapshot, device))
    if (matches(name, snapshot.frames.text(annotation->name))) times.push_back(annotation->time_us);
  std::sort(times.begin(), times.end());
  steps.starts = events_at(snapshot.traces[device], times);
  return steps;
}

Steps every(const EventTable& events, std::uint64_t length) {
  Steps steps{StepSource::events, {}, {}, 0, 0, {}};
  for (std::uint64_t start = 0; start < events.size() && length > 0; start = saturating_sum(start, length))
    steps.starts.push_back(start);
  return steps;
}

Steps timed(const EventTable& events, std::uint64_t length_us) {
  require_times(events);
  Steps steps{StepSource::time, {}, {}, 0, 0, {}};
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

Steps found(const Snapshot& snapshot, std::uint32_t device) {
  const EventTable& events = snapshot.traces[device];
  if (has_times(events)) {
    if (const auto [name, rank] = best_name(snapshot, device); rank > 0) {
      Steps steps = annotated(snapshot, device, name);
      // A name that does not speak of steps has to behave like one that does.
      const bool is_step = rank > kAnyName + 1 || is_even(steps.starts, events.size());
      if (steps.starts.size() >= kFewestSteps && is_step) return steps;
    }
  }
  Repetition repetition = find_repetition(snapshot.frames, events);
  if (repetition.starts.empty()) return {};
  return {StepSource::repetition, {}, std::move(repetition.starts), 0, repetition.anchors, {}};
}

void keep_last(Steps& steps) {
  if (steps.starts.size() <= kMostSteps) return;
  steps.left_out = steps.starts.size() - kMostSteps;
  steps.starts.erase(steps.starts.begin(), steps.starts.begin() + static_cast<std::ptrdiff_t>(steps.left_out));
}

std::string note_of(const Snapshot& snapshot, const Steps& steps) {
  if (steps.starts.size() >= kFewestSteps) return "";
  if (steps.source == StepSource::none) {
    return snapshot.annotations.empty()
               ? "no steps found: the recording has no annotations, and no stack allocates at even distances"
               : "no steps found: no annotation occurs three times, and no stack allocates at even distances";
  }
  return fmt::format("only {}, and it takes {} to tell growth from an accident",
                     format_counted(steps.starts.size(), "step"), kFewestSteps);
}

} // namespace

Steps find_steps(const Snapshot& snapshot, std::uint32_t device, const StepChoice& choice) {
  const EventTable& events = snapshot.traces[device];
  Steps steps;
  switch (choice.source) {
  case StepSource::annotation:
    require_times(events);
    steps = annotated(snapshot, device, choice.annotation);
    break;
  case StepSource::events: steps = every(events, choice.length); break;
  case StepSource::time: steps = timed(events, std::max<std::uint64_t>(choice.length, 1)); break;
  case StepSource::none:
  case StepSource::repetition: steps = found(snapshot, device); break;
  }
  keep_last(steps);
  steps.note = note_of(snapshot, steps);
  return steps;
}

} // namespace memviz
