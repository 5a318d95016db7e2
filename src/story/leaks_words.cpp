#include "story/leaks_words.hpp"

#include "base/printable.hpp"
#include "memviz/format.hpp"
#include "story/cause_words.hpp"
#include "story/leaks_words_gate.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace memviz {

namespace {

constexpr std::string_view kSayWhere = "--steps annotation:NAME, --steps events:N or --steps time:US";

std::string steps_text(const DeviceLeaks& leaks) {
  const Steps& steps = leaks.steps;
  const std::uint64_t events = leaks.events - steps.starts.front();
  return fmt::format("{}, {}; {} from event {} on, about {} a step", format_counted(steps.starts.size(), "step"),
                     step_source_text(steps), format_counted(events, "event"), format_count(steps.starts.front()),
                     format_count(events / steps.starts.size()));
}

std::string room_text(const DeviceLeaks& leaks) {
  if (!leaks.capacity_bytes)
    return "the steps left are unknown: the file does not show the device's capacity (--capacity SIZE)";
  const std::string source =
      leaks.capacity_source == CapacitySource::given ? "as given" : "reserved and free when it ran out of memory";
  const auto left = leaks.steps_left();
  return fmt::format("{} for PyTorch ({}): {}", format_bytes(*leaks.capacity_bytes), source,
                     !left        ? "there are too few steps to say when it is full"
                     : *left == 0 ? "full now"
                                  : "full in about " + format_counted(*left, "step"));
}

std::string_view judgement(const DeviceLeaks& leaks) {
  if (!leaks.is_sure()) return "Perhaps a leak, too little evidence";
  if (leaks.steps.is_guess()) return "A leak, if these are steps";
  const bool is_high = std::ranges::any_of(
      leaks.grows, [](const StackGrowth& growth) { return growth.trend.confidence == Confidence::high; });
  return is_high ? "A leak" : "Probably a leak";
}

std::string growth_verdict(const DeviceLeaks& leaks) {
  return fmt::format("{}: {} from step to step: {} a step", judgement(leaks),
                     format_counted(leaks.judged_stacks(), "stack grows", "stacks grow"),
                     format_delta(static_cast<std::int64_t>(leaks.bytes_per_step())));
}

/// Returns "" if the verdict is about all of them.
std::string perhaps_text(const DeviceLeaks& leaks) {
  const std::size_t more = leaks.grows.size() - leaks.judged_stacks();
  if (more == 0) return "";
  return fmt::format("Perhaps {}, too little evidence", format_counted(more, "stack also grows", "stacks also grow"));
}

/// Whether no stack grows until the end, not even one that is not a leak.
bool is_still(const DeviceLeaks& leaks) {
  return leaks.grows.empty() && leaks.doubt == Doubt::none && leaks.replaced.empty();
}

/// Returns a name for growth that is not called a leak.
std::string_view doubtful_judgement(Doubt doubt) {
  switch (doubt) {
  case Doubt::none: break;
  case Doubt::one_pass: return "Perhaps one pass, not a leak";
  case Doubt::loading: return "Perhaps loading, not a leak";
  case Doubt::offset: return "Hardly a leak";
  }
  return "";
}

std::string doubtful_verdict(const DeviceLeaks& leaks) {
  double bytes = 0;
  for (const StackGrowth& growth : leaks.doubtful)
    bytes += growth.trend.bytes_per_step;
  return fmt::format("{}: {} in steps that are a guess: {} a step", doubtful_judgement(leaks.doubt),
                     format_counted(leaks.doubtful.size(), "stack grows", "stacks grow"),
                     format_delta(std::llround(bytes)));
}

std::string verdict_of_none(const DeviceLeaks& leaks) {
  const std::string looked_at = fmt::format("{} looked at in {}", format_counted(leaks.stacks, "stack"),
                                            format_counted(leaks.steps.starts.size(), "step"));
  if (leaks.doubt != Doubt::none) return doubtful_verdict(leaks);
  if (!leaks.replaced.empty())
    return fmt::format("{} but {} nothing behind: {}",
                       format_counted(leaks.replaced.size(), "stack grows", "stacks grow"),
                       leaks.replaced.size() == 1 ? "leaves" : "leave", looked_at);
  if (!leaks.kept.empty()) return "Between steps nothing else grows: " + looked_at;
  return fmt::format("{}: {}", is_still(leaks) ? "Nothing grows from step to step" : "No leak found", looked_at);
}

/// Outputs that are kept need no sentence where steps show them.
std::vector<std::string> kept_words(const FrameTable& frames, const DeviceLeaks& leaks) {
  std::vector<std::string> words;
  for (const Cause& cause : leaks.kept)
    if (cause.kind != CauseKind::kept_outputs || !leaks.is_sure())
      words.push_back(cause_text(frames, {.requested_bytes = leaks.requested_bytes}, cause));
  return words;
}

std::vector<std::string> reasons_of_none(const DeviceLeaks& leaks) {
  const auto growth =
      static_cast<std::int64_t>(leaks.floor_bytes.back()) - static_cast<std::int64_t>(leaks.floor_bytes.front());
  if (growth <= 0 || !is_still(leaks) || !leaks.kept.empty()) return {};
  return {fmt::format("(the {} between the first step and the last were allocated once, or came and went)",
                      format_bytes(static_cast<std::uint64_t>(growth)))};
}

std::string_view doubt_text(Doubt doubt) {
  switch (doubt) {
  case Doubt::none: break;
  case Doubt::one_pass:
    return "These steps do not each have a forward and a backward pass, and these stacks grow like the memory that the "
           "layers of one pass keep. If the steps are real, declare them with --steps, and this is a leak";
  case Doubt::loading:
    return "Almost nothing is freed in these steps, as when a model is loaded. If they are training steps, declare "
           "them with --steps, and this is a leak";
  case Doubt::offset:
    return "These grow while as much is freed elsewhere, as when a backward pass turns activations into gradients: "
           "live bytes as a whole do not grow with them";
  }
  return "";
}

/// Returns why it is reported as growing.
std::string evidence(const StackGrowth& growth) {
  const Trend& trend = growth.trend;
  std::string text = fmt::format("{} {} of {}", growth.sign == GrowthSign::floor ? "rose in" : "left some in",
                                 growth.seen_steps, format_counted(growth.of_steps, "step"));
  if (trend.first_step > 0) text += fmt::format(", from step {} on", trend.first_step + 1);
  return text;
}

LeaksWords no_verdict(const Recording& recording, const DeviceLeaks& leaks) {
  LeaksWords words;
  words.verdict = fmt::format("{}; no verdict:", format_counted(leaks.events, "event"));
  words.reasons = {fmt::format("{}.", steps_note(recording, leaks.steps)),
                   fmt::format("Record more steps, or say where they begin: {}", kSayWhere)};
  return words;
}

} // namespace

std::vector<std::string> step_notes(const Steps& steps) {
  std::vector<std::string> notes;
  if (steps.is_guess())
    notes.push_back(fmt::format(
        "These steps are a guess: the layers of one pass also repeat. Set where steps begin with {}", kSayWhere));
  if (steps.left_out > 0)
    notes.push_back(fmt::format("{} before these are omitted", format_counted(steps.left_out, "step")));
  return notes;
}

std::string step_source_text(const Steps& steps) {
  switch (steps.source) {
  case StepSource::annotation: return fmt::format("one at each annotation '{}'", elided(steps.name, kLeakLineColumns));
  case StepSource::repetition:
    return fmt::format("found by {} that {} once in each", format_counted(steps.anchors, "stack"),
                       steps.anchors == 1 ? "allocates" : "allocate");
  case StepSource::events:
  case StepSource::time: return "as given";
  case StepSource::none: break;
  }
  return "none found";
}

std::string steps_note(const Recording& recording, const Steps& steps) {
  if (steps.starts.size() >= kFewestSteps) return "";
  if (steps.source == StepSource::none) {
    return recording.annotations.empty()
               ? "no steps found: the recording has no annotations, and no stack allocates at regular intervals"
               : "no steps found: no annotation occurs three times with a forward and a backward pass each time, and "
                 "no stack allocates at regular intervals";
  }
  if (steps.source == StepSource::annotation) {
    return fmt::format("only {} of the {} at '{}' {} events here, and a verdict needs {}", steps.starts.size(),
                       format_counted(steps.marks, "step"), elided(steps.name, kLeakLineColumns),
                       steps.starts.size() == 1 ? "has" : "have", kFewestSteps);
  }
  return fmt::format("only {}; at least {} are needed to distinguish growth from chance",
                     format_counted(steps.starts.size(), "step"), kFewestSteps);
}

std::string guess_note(const Steps& steps) {
  if (steps.source == StepSource::annotation)
    return fmt::format("these are a guess: not each of them has a forward and a backward pass, at '{}'",
                       elided(steps.name, kLeakLineColumns));
  return "these are a guess, from stacks that allocate at regular intervals";
}

std::string_view confidence_word(Confidence confidence) {
  switch (confidence) {
  case Confidence::low: return "low";
  case Confidence::medium: return "medium";
  case Confidence::high: return "high";
  }
  return "low";
}

std::string confidence_text(const StackGrowth& growth) {
  return fmt::format("{}: {}", confidence_word(growth.trend.confidence), evidence(growth));
}

std::string burst_text(const FreeBurst& burst) {
  return fmt::format("{}, {}, step {}", format_bytes(burst.bytes), format_counted(burst.blocks, "block"),
                     burst.step + 1);
}

std::string no_events_text(std::string_view purpose) {
  return fmt::format("No events on any device: to {}, record with torch.cuda.memory._record_memory_history().",
                     purpose);
}

std::string steps_answer(const StepTable& steps) {
  const auto number = [&](auto row) {
    return format_count(steps.steps.left_out + static_cast<std::uint64_t>(row - steps.rows.begin()) + 1);
  };
  const auto highest = std::ranges::max_element(steps.rows, {}, &StepFigures::peak_bytes);
  const auto most = std::ranges::max_element(steps.rows, {}, &StepFigures::growth_bytes);
  const std::string peak =
      fmt::format("The highest peak of a step is {}, in step {}", format_bytes(highest->peak_bytes), number(highest));
  if (most->growth_bytes() <= 0) return peak + "; no step ends with more than it began with.";
  return fmt::format("{}; the largest growth in a step is {}, in step {}.", peak, format_delta(most->growth_bytes()),
                     number(most));
}

LeaksWords leaks_words(const Recording& recording, const DeviceLeaks& leaks) {
  LeaksWords words;
  if (!leaks.has_enough_steps()) {
    words = no_verdict(recording, leaks);
    words.kept = kept_words(recording.frames, leaks);
    return words;
  }
  words.kept = kept_words(recording.frames, leaks);
  words.steps = steps_text(leaks);
  words.step_notes = step_notes(leaks.steps);
  if (leaks.grows.empty()) {
    words.verdict = verdict_of_none(leaks);
    words.reasons = reasons_of_none(leaks);
  } else {
    words.verdict = growth_verdict(leaks);
    words.room = room_text(leaks);
    words.perhaps = perhaps_text(leaks);
  }
  words.doubt = doubt_text(leaks.doubt);
  if (!leaks.late_frees.empty())
    words.late_frees = "Freed late, not leaked: grows for several steps, then falls at once, as when the garbage "
                       "collector has to find reference cycles";
  if (!leaks.replaced.empty())
    words.replaced = "Replaced by larger blocks step by step, nothing left behind: grows, as a cache that is extended "
                     "by torch.cat() does";
  if (!leaks.stopped.empty())
    words.stopped =
        "Grew and stopped, or almost: memory that is filled once, such as a cache, or an optimizer's state, "
        "made at each parameter's first gradient";
  return words;
}

} // namespace memviz
