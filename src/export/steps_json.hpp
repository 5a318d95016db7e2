#pragma once

// Steps in JSON: where they begin, and how that was found.

#include "base/json_object.hpp"
#include "memviz/leaks.hpp"
#include "story/leaks_words_gate.hpp"

#include <string_view>

namespace memviz {

struct StepsInJson {
  const Recording& recording;
  const Steps& steps;

  [[nodiscard]] bool is_by(StepSource source) const { return steps.source == source; }
};

[[nodiscard]] std::string_view step_source_name(StepSource source);

inline constexpr auto kSteps = json_object<StepsInJson>(
    {},
    member(
        "source", "What steps are", [](const StepsInJson& steps) { return steps.steps.source; },
        named(step_source_name, StepSource::none, StepSource::time)),
    member("annotation", "Name of the annotation that begins each",
           [](const StepsInJson& steps) -> const std::string& { return steps.steps.name; })
        .when([](const StepsInJson& steps) { return steps.is_by(StepSource::annotation); }),
    member("anchors", "Of repetition: stacks that allocate at even distances",
           [](const StepsInJson& steps) { return steps.steps.anchors; })
        .when([](const StepsInJson& steps) { return steps.is_by(StepSource::repetition); }),
    member("guess",
           "Whether these may be no steps: stacks that repeat, or an annotation without a forward and a backward pass "
           "each time",
           [](const StepsInJson& steps) { return steps.steps.is_guess(); }),
    member("count", "Steps", [](const StepsInJson& steps) { return steps.steps.starts.size(); }),
    member("marks", "Of annotation: marks of that name in the file",
           [](const StepsInJson& steps) { return steps.steps.marks; })
        .when([](const StepsInJson& steps) { return steps.is_by(StepSource::annotation); }),
    member("left_out", "Steps left out at the beginning or the end",
           [](const StepsInJson& steps) { return steps.steps.left_out; }),
    member("start_events", "Where each begins: events, index from 0 in the events of its device",
           [](const StepsInJson& steps) -> const std::vector<std::uint64_t>& { return steps.steps.starts; }),
    member("note", "What to know about the steps, a sentence", [](const StepsInJson& steps) {
      return steps_note(steps.recording, steps.steps);
    }).if_any());

} // namespace memviz
