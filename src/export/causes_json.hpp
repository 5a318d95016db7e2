#pragma once

// Causes in JSON, as explain and leaks write them.

#include "base/json_object.hpp"
#include "memviz/causes.hpp"
#include "memviz/label.hpp"
#include "story/cause_words.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace memviz {

struct CauseInJson {
  const FrameTable& frames;
  CauseScope scope; ///< the memory that they are a part of
  const Cause& cause;

  [[nodiscard]] std::optional<std::uint64_t> known(std::uint64_t StepEffect::*figure) const {
    return cause.without.is_known ? std::optional(cause.without.*figure) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::string> label(const std::optional<FrameId>& line) const {
    return line ? std::optional(node_label(frames, *line)) : std::nullopt;
  }
};

inline constexpr auto kCauseLines = json_object<CauseInJson>(
    {},
    member("line", "The line of the user's own code with the most of these bytes",
           [](const CauseInJson& in) { return in.label(in.cause.line.line); }),
    member("call", "The line that called the outermost torch.nn module on the way there, else the same line",
           [](const CauseInJson& in) { return in.label(in.cause.line.call); }),
    member("caller", "The next line of the user's own code that called it, of another file if there is one",
           [](const CauseInJson& in) { return in.label(in.cause.line.caller); }),
    member("text", "The cause in a sentence",
           [](const CauseInJson& in) { return cause_text(in.frames, in.scope, in.cause); }));

inline constexpr auto kCause = json_object<CauseInJson>(
    {.meaning = "A cause, with the memory that it explains. Causes may overlap", .name = "cause"},
    member(
        "cause", "Which cause", [](const CauseInJson& in) { return in.cause.kind; },
        named(cause_name, CauseKind::outside, CauseKind::weights)),
    member("bytes", "Requested bytes; of outside, bytes of the device; of varying_sizes, reserved bytes",
           [](const CauseInJson& in) { return in.cause.bytes; }),
    member("has_request", "Whether the request that failed is part of them",
           [](const CauseInJson& in) { return in.cause.has_request; }),
    member("falls_short",
           "Whether memory runs out again even if nothing of this cause is allocated: missing_bytes_without is above 0",
           [](const CauseInJson& in) { return in.cause.without.missing_bytes > 0; }),
    member("missing_bytes_without",
           "What is still missing if nothing of this cause is allocated, by the pass before, else by an estimate of a "
           "training step; null for causes that functions in stacks do not show, or if parameters are unknown",
           [](const CauseInJson& in) { return in.known(&StepEffect::missing_bytes); }),
    member("batch_divisor",
           "The step has enough memory without this cause if the batch is divided by this: 1, 2, 4 or 8; 0 if by none; "
           "null if missing_bytes_without is",
           [](const CauseInJson& in) { return in.known(&StepEffect::batch_divisor); }),
    member("blocks", "Blocks that are alive", [](const CauseInJson& in) { return in.cause.blocks; }),
    member("calls",
           "Of kept_graphs and kept_outputs: earlier calls whose blocks are alive; of growth: the steps; of "
           "varying_sizes: the allocations of the line; of repeated_state: the optimizers; of untrained: the "
           "parameters; else 0",
           [](const CauseInJson& in) { return in.cause.calls; }),
    member("to_come_bytes",
           "Of activations and foreach_temporaries: what the program would still have made, if the assumption in the "
           "text holds; else 0",
           [](const CauseInJson& in) { return in.cause.to_come_bytes; }),
    members_of(kCauseLines, std::identity()));

} // namespace memviz
