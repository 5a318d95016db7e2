#pragma once

// The parts of an explanation in JSON: the request that failed, answers of the model, pins, growth, the pass and the
// first step.

#include "base/first_of.hpp"
#include "base/json_object.hpp"
#include "export/json_meanings.hpp"
#include "export/lines_json.hpp"
#include "memviz/explain.hpp"
#include "memviz/label.hpp"
#include "memviz/memory_state.hpp"
#include "story/explain_words.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace memviz {

struct RequestInJson {
  const FrameTable& frames;
  const DeviceExplanation& device;

  [[nodiscard]] const Request& request() const { return *device.request; }
};

inline constexpr auto kRequest = json_object<RequestInJson>(
    {.meaning = "The request that failed", .name = "request"},
    member("event", "Its event, index from 0 in the events of its device",
           [](const RequestInJson& in) { return in.request().event.number(); })
        .at_least(0),
    member("line", kOwnLineMeaning,
           [](const RequestInJson& in) { return node_label(in.frames, in.device.asking_line); }),
    member("bytes", "Bytes asked for", [](const RequestInJson& in) { return in.request().bytes; }),
    member("stream", "Its stream", [](const RequestInJson& in) { return in.request().stream; }),
    member("pool", "Its memory pool: two numbers, (0, 0) is the usual one",
           [](const RequestInJson& in) {
             return std::array{in.request().pool.first, in.request().pool.second};
           }),
    member("pool_is_known", "Whether the file shows the pool",
           [](const RequestInJson& in) { return in.request().pool_is_known; }),
    member(
        "annotations", "record_function marks that were open, the outermost first",
        [](const RequestInJson& in) -> const auto& { return in.device.open_annotations; },
        made_by([](const RequestInJson& in, StringId name) { return in.frames.text(name); }, PlainForm{})),
    member(
        "forward_frames", "Of a backward pass: the frames of the forward pass, as PyTorch recorded them",
        [](const RequestInJson& in) { return in.frames.stack(in.request().forward_stack); },
        made_by([](const RequestInJson& in, FrameId frame) { return in.frames.name(frame); }, PlainForm{})),
    member("compile_context", "Region of torch.compile; empty where there is none",
           [](const RequestInJson& in) { return in.frames.text(in.request().compile_context); }),
    member("user_metadata", "What torch.cuda.memory._set_memory_metadata had set; mostly empty",
           [](const RequestInJson& in) { return in.frames.text(in.request().user_metadata); }));

struct AnswerInJson {
  const MemoryState& state;
  const WhatIf& answer;
  const std::string& text;
};

inline constexpr auto kAnswerBlock =
    json_object<Block>({.meaning = "A block"}, member("address", kDecimalAddressMeaning, &Block::address, kDecimal),
                       member("bytes", "Its size", &Block::size_bytes));

[[nodiscard]] inline std::optional<std::uint64_t> tried_value(const AnswerInJson& in) {
  const bool has_value = in.answer.circumstance == Circumstance::max_split_size;
  return has_value ? std::optional(in.answer.value_bytes) : std::nullopt;
}

[[nodiscard]] inline std::optional<Proviso> proviso_of(const AnswerInJson& in) {
  return in.answer.proviso == Proviso::none ? std::nullopt : std::optional(in.answer.proviso);
}

inline constexpr auto kAnswer = json_object<AnswerInJson>(
    {.meaning = "An answer", .name = "what_if"},
    member(
        "circumstance", "What would have been different", [](const AnswerInJson& in) { return in.answer.circumstance; },
        named(circumstance_name, Circumstance::expandable_segments, Circumstance::max_split_size)),
    member("value", "Bytes of max_split_size; null of others", tried_value),
    member(
        "outcome", "Whether the request would have fit", [](const AnswerInJson& in) { return in.answer.outcome; },
        named(outcome_name, Outcome::fits, Outcome::no_matter)),
    member("proviso", "The fact that the answer depends on and no file shows; null where there is none", proviso_of,
           named(proviso_name, Proviso::start, Proviso::lost_events)),
    member(
        "prospect",
        "Of an answer with which the request fits: whether the program goes on as it did after the same request of "
        "the pass before: everything up to the same request of the next pass fits, and live memory does not grow; it "
        "fits, but live memory grows from pass to pass; memory runs out again; or unknown",
        [](const AnswerInJson& in) { return in.answer.prospect; },
        named(prospect_name, Prospect::unknown, Prospect::falls_short)),
    member("reserved_bytes", "Bytes that would have been reserved before the request; null where that is not known",
           [](const AnswerInJson& in) { return in.answer.reserved_bytes; }),
    member("failed_event", "Event at which it would have failed, index from 0 in the events of its device; -1: none",
           [](const AnswerInJson& in) { return in.answer.failed_event.number(); })
        .at_least(-1),
    member(
        "blocks", "Of without_blocks: those that would not have been there",
        [](const AnswerInJson& in) -> const auto& { return in.answer.blocks; },
        made_by(
            [](const AnswerInJson& in, std::uint32_t block) -> const auto& { return in.state.blocks[block]; },
            kAnswerBlock)),
    member(
        "text", "The answer as a sentence", [](const AnswerInJson& in) -> const auto& { return in.text; }));

struct PinningLineInJson {
  const FrameTable& frames;
  const PinningLine& line;
};

inline constexpr auto kPinningFigures = json_object<PinningLine>(
    {}, member("bytes", "Bytes of its blocks there", part_of(&PinningLine::active, &Amount::bytes)),
    member("blocks", "Its blocks there", part_of(&PinningLine::active, &Amount::blocks)),
    member("segments", "Segments that they are in", &PinningLine::segments),
    member("held_bytes", "Free bytes in these", &PinningLine::held_bytes),
    member("alone_bytes", "Free bytes that its blocks alone keep", &PinningLine::alone_bytes));

inline constexpr auto kPinningLine = json_object<PinningLineInJson>(
    {.meaning = "A line whose blocks pin segments"},
    member("line", kOwnLineMeaning, [](const PinningLineInJson& in) { return node_label(in.frames, in.line.key); }),
    members_of(
        kPinningFigures, [](const PinningLineInJson& in) -> const auto& { return in.line; }));

struct PinsInJson {
  const FrameTable& frames;
  const Pins& pins;
};

inline constexpr auto kPins = json_object<PinsInJson>(
    {}, member("held_bytes", "Free bytes that are kept so", [](const PinsInJson& in) { return in.pins.held_bytes; }),
    member("segments", "How many segments", [](const PinsInJson& in) { return in.pins.segments.size(); }),
    member(
        "lines", "At most 100", [](const PinsInJson& in) { return first_of(in.pins.lines, 100); },
        made_by(
            [](const PinsInJson& in, const PinningLine& line) {
              return PinningLineInJson{in.frames, line};
            },
            kPinningLine)));

struct GrowthInJson {
  const FrameTable& frames;
  const Growth& growth;
};

inline constexpr auto kGrownLines = made_by(
    [](const GrowthInJson& in, const UserLine& line) {
      return LineInJson{in.frames, line};
    },
    kLine);

inline constexpr auto kGrowth = json_object<GrowthInJson>(
    {},
    member("since_event",
           "The low point is after this event, index from 0 in the events of its device; -1: before the first",
           [](const GrowthInJson& in) { return in.growth.low_event.number(); })
        .at_least(-1),
    member("low_bytes", "Requested bytes then", [](const GrowthInJson& in) { return in.growth.low_bytes; }),
    member(
        "lines", "Allocated since and live at the moment, by line, at most 100",
        [](const GrowthInJson& in) { return first_lines(in.growth.lines); }, kGrownLines),
    member("reserved_bytes", "Bytes reserved since", [](const GrowthInJson& in) { return in.growth.reserved_bytes; }),
    member(
        "reserving", "Lines that had them reserved, at most 100",
        [](const GrowthInJson& in) { return first_lines(in.growth.reserving); }, kGrownLines));

struct LeakInJson {
  const FrameTable& frames;
  const StepLeak& leak;
};

inline constexpr auto kLeak = json_object<LeakInJson>(
    {.meaning = "What grows from step to step, as `memviz leaks` finds it", .name = "leak"},
    member("bytes_per_step", "Bytes that are kept more with each step",
           [](const LeakInJson& in) { return in.leak.bytes_per_step; }),
    member("steps", "Steps that were compared", [](const LeakInJson& in) { return in.leak.steps; }),
    member(
        "lines", "By line: bytes a step, and blocks that live at the end of the recording; at most 100",
        [](const LeakInJson& in) { return first_lines(in.leak.lines); },
        made_by(
            [](const LeakInJson& in, const UserLine& line) {
              return LineInJson{in.frames, line};
            },
            kLine)));

inline constexpr auto kPass = json_object<PassNeed>(
    {.meaning = "The pass, or the step where steps are known, in which a request failed", .name = "pass"},
    member("basis",
           "How much of what is still to come the recording shows: a pass before made the same request; no pass has "
           "ended; none made this request; passes before made a smaller one here",
           &PassNeed::basis, named(pass_basis_name, PassBasis::pass_before, PassBasis::larger)),
    member("passes", "Passes that ended before the request", &PassNeed::passes),
    member("rise_bytes",
           "The highest live memory of the pass before minus that where it began; 0 where the recording begins with "
           "that pass",
           &PassNeed::rise_bytes),
    member("risen_bytes", "Live memory at the request minus that where this pass began", &PassNeed::risen_bytes),
    member("to_come_bytes",
           "The most by which live memory still rises, including the request: as after the same request of a pass "
           "before; else as far as the pass before; else a lower bound",
           &PassNeed::to_come_bytes),
    member("available_bytes", "Free on the device and in PyTorch's memory", &PassNeed::available_bytes),
    member("missing_bytes", "What is still to come minus that, at least 0", &PassNeed::missing_bytes),
    member("growth_bytes", "Live memory at this point minus that at the same point of the pass before",
           &PassNeed::growth_bytes),
    member("checkpointing_bytes",
           "About what torch.utils.checkpoint of each layer frees of what this pass keeps so far",
           &PassNeed::checkpointing_bytes));

inline constexpr auto kLever = json_object<LeverGain>(
    {.meaning = "A lever"},
    member("lever", "What to change", &LeverGain::lever, named(lever_name, Lever::checkpointing, Lever::settings)),
    member(
        "bytes",
        "What that frees, about; of a smaller batch, half of what the pass keeps; of settings, free memory in pieces",
        &LeverGain::bytes));

inline constexpr auto kFirstStep = json_object<FirstStep>(
    {.meaning = "The first training step. Bytes are those of kinds, and lower bounds", .name = "first_step"},
    member("parameter_bytes", "Live parameters", &FirstStep::parameter_bytes),
    member("gradient_bytes", "Live gradients", &FirstStep::gradient_bytes),
    member("gradients_to_come_bytes", "Gradients that the step still makes, if all parameters are trained",
           &FirstStep::gradients_to_come_bytes),
    member("optimizer",
           "Class of the optimizer, from its annotations; empty where none is seen, and then the state is what Adam "
           "keeps",
           &FirstStep::optimizer),
    member("values_per_parameter", "Values that the optimizer's state has for each parameter, at least",
           &FirstStep::values_per_parameter),
    member("state_bytes", "Live state of the optimizer", &FirstStep::state_bytes),
    member("state_to_come_bytes", "State that the optimizer still makes, at least", &FirstStep::state_to_come_bytes),
    member(
        "pass_bytes",
        "Live memory of other kinds, except workspaces: what the pass under way keeps, activations for the most part",
        &FirstStep::pass_bytes),
    member("needed_bytes", "Parameters, gradients and state when the optimizer has made its state, at least",
           &FirstStep::needed_bytes),
    member("available_bytes", "What PyTorch can have: what it held and what the device had free",
           &FirstStep::available_bytes),
    member("missing_bytes", "What is missing for the whole step, at least", &FirstStep::missing_bytes),
    member("levers", "What would make room, largest first", &FirstStep::levers, kLever));

inline constexpr auto kMeasured = json_object<MeasuredDevice>(
    {},
    member("total_bytes", "Memory of the device, bytes; null where it could not be had", &MeasuredDevice::total_bytes),
    member("own_outside_bytes",
           "Bytes that this process held besides PyTorch: the CUDA context, libraries; null where it could not be had",
           &MeasuredDevice::own_outside_bytes),
    member("other_processes", "Other processes on the device; null where they could not be had",
           &MeasuredDevice::other_processes),
    member("other_processes_bytes", "Bytes that these held; null where they could not be had",
           &MeasuredDevice::other_processes_bytes));

inline constexpr auto kJudgedBytes = json_object<Judgement>(
    {}, member("needed_bytes", "Bytes that the request takes, rounded as the allocator does", &Judgement::needed_bytes),
    member("missing_bytes", "Bytes that were missing", &Judgement::missing_bytes),
    member("missing_is_least", "Whether more may be missing than that", &Judgement::missing_is_least),
    member("reachable_bytes", "Bytes that the request could have been made of", &Judgement::reachable_bytes));

inline constexpr auto kModel = json_object<Fidelity>(
    {}, member("allocs", "Allocations replayed", &Fidelity::allocs),
    member("same_places", "Of these, those that got their recorded address", &Fidelity::same_places),
    member("largest_error_bytes", "Largest difference of reserved bytes", &Fidelity::largest_error_bytes),
    member("largest_reserved_bytes", "Most that was reserved", &Fidelity::largest_reserved_bytes),
    member("reproduces", "Whether answers are given", &Fidelity::reproduces),
    member("free_block_order",
           "Which of several free blocks of one size PyTorch takes, as the recording shows: the one at the lowest "
           "address (before PyTorch 2.13), or of the oldest segment; null where both orders explain it alike",
           &Fidelity::free_block_order,
           named(free_block_order_name, FreeBlockOrder::address, FreeBlockOrder::segment_age)),
    member("settings_not_modelled",
           "Settings in PYTORCH_CUDA_ALLOC_CONF that may change where memory is placed and that the model does not "
           "follow: unknown ones, large_segment_size_mb and the reserves of expandable segments; then reproduces is "
           "false",
           &Fidelity::settings_not_modelled));

} // namespace memviz
