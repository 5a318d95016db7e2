#pragma once

// The lines of a trace in JSON: an event, or a mark of record_function.

#include "base/json_object.hpp"
#include "base/saturating.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/line_json.hpp"
#include "export/trace_lines.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

struct TracedFrame {
  const FrameTable& frames;
  FrameId id;
};

template <StringId FxInfo::*Text> [[nodiscard]] std::string_view fx_text(const TracedFrame& frame) {
  const FxInfo* const fx = frame.frames.fx(frame.id);
  return fx == nullptr ? std::string_view() : bounded(frame.frames.text(fx->*Text));
}

inline constexpr auto kTracedFrame = json_object<TracedFrame>(
    {.meaning = "A frame of a stack", .name = "traced_frame"},
    member("name", "Function", [](const TracedFrame& frame) { return bounded(frame.frames.name(frame.id)); }),
    member("file", "File, as recorded",
           [](const TracedFrame& frame) { return bounded(frame.frames.filename(frame.id)); }),
    member("line", "Line; null where it is not known",
           [](const TracedFrame& frame) { return known_line(frame.frames.frame(frame.id).line); }),
    member("fx_node_op", "What torch.fx says", fx_text<&FxInfo::node_op>).if_any(),
    member("fx_node_name", "What torch.fx says", fx_text<&FxInfo::node_name>).if_any(),
    member("fx_node_target", "What torch.fx says", fx_text<&FxInfo::node_target>).if_any(),
    member("fx_original_trace", "What torch.fx says", fx_text<&FxInfo::original_trace>).if_any());

struct EventInJson {
  const FrameTable& frames;
  const TraceLine& line;
  const std::string& own_line;
  bool has_stacks;

  [[nodiscard]] const Event& event() const { return line.event; }
  [[nodiscard]] bool is(Action action) const { return line.event.action == action; }
  [[nodiscard]] std::string_view text(StringId id) const { return bounded(frames.text(id)); }
  /// Returns the point at which the memory of the event was allocated; null if it is unknown.
  [[nodiscard]] const EventPoint* began() const { return line.life && line.life->began ? &*line.life->began : nullptr; }
  [[nodiscard]] const EventPoint* lived_from() const { return is(Action::annotate) ? nullptr : began(); }
  [[nodiscard]] const EventPoint* freed() const {
    return line.life && line.life->was_freed ? &*line.life->was_freed : nullptr;
  }
};

template <const EventPoint* (EventInJson::*From)() const>
[[nodiscard]] std::optional<std::uint64_t> events_since(const EventInJson& in) {
  const EventPoint* const from = (in.*From)();
  return from == nullptr ? std::nullopt : std::optional(in.line.index - from->event);
}

/// Returns nullopt if one of both has no time.
template <const EventPoint* (EventInJson::*From)() const>
[[nodiscard]] std::optional<std::int64_t> us_since(const EventInJson& in) {
  const EventPoint* const from = (in.*From)();
  if (from == nullptr || !from->time_us || !in.event().time_us) return std::nullopt;
  return saturating_difference(*in.event().time_us, *from->time_us);
}

[[nodiscard]] inline std::optional<std::array<std::uint64_t, 2>> traced_pool(const EventInJson& in) {
  return in.line.pool ? std::optional(std::array{in.line.pool->first, in.line.pool->second}) : std::nullopt;
}

[[nodiscard]] inline std::optional<std::string> traced_name(const EventInJson& in) {
  return in.line.life ? std::optional(allocation_name(*in.line.life)) : std::nullopt;
}

[[nodiscard]] inline std::optional<std::uint64_t> began_event(const EventInJson& in) {
  return in.began() == nullptr ? std::nullopt : std::optional(in.began()->event);
}

inline constexpr auto kTracedMemory = json_object<EventInJson>(
    {},
    member("name", "Of memory: address and how often it was used before, b7f064c000000_0; of a segment s7f...",
           traced_name)
        .if_any(),
    member(
        "address", "Of memory, as decimal text: it may pass 2^53",
        [](const EventInJson& in) { return in.event().address; }, kDecimal)
        .when([](const EventInJson& in) { return !in.is(Action::oom) && !in.is(Action::snapshot); }),
    member("size_bytes", "Bytes", [](const EventInJson& in) { return in.event().size_bytes; }),
    member(
        "stream", kDecimalStreamMeaning, [](const EventInJson& in) { return in.event().stream; }, kDecimal),
    member("pool", "Its memory pool, where it is known", traced_pool).if_any(),
    member("device_free_bytes", "Of oom: bytes free on the device, as CUDA said; a number near 2^64 where it could not",
           [](const EventInJson& in) { return in.event().address; })
        .when([](const EventInJson& in) { return in.is(Action::oom); }),
    member("began_event", "Of a free or an annotate: the event that allocated it", began_event).if_any(),
    member("lived_events", "Events since then", events_since<&EventInJson::lived_from>).if_any(),
    member("lived_us", "Microseconds since then", us_since<&EventInJson::lived_from>).if_any(),
    member("pending_events", "Of free_completed: events since free_requested", events_since<&EventInJson::freed>)
        .if_any(),
    member("pending_us", "Microseconds since free_requested", us_since<&EventInJson::freed>).if_any());

inline constexpr auto kTracedStacks = json_object<EventInJson>(
    {},
    member(
        "frames", "With --stacks: the stack, innermost first",
        [](const EventInJson& in) { return in.frames.stack(in.event().stack); },
        made_by(
            [](const EventInJson& in, FrameId id) {
              return TracedFrame{in.frames, id};
            },
            kTracedFrame)),
    member(
        "forward_frames", "With --stacks, of a backward pass: frames of the forward pass",
        [](const EventInJson& in) { return in.frames.stack(in.event().forward_stack); },
        made_by([](const EventInJson& in, FrameId id) { return bounded(in.frames.name(id)); }, PlainForm{}))
        .when([](const EventInJson& in) { return in.event().forward_stack != kNoFrames; }));

inline constexpr auto kTracedEvent = json_object<EventInJson>(
    {.meaning = "An event", .name = "event"}, constant("kind", "What this is", std::string_view("event")),
    member(
        "device", "", [](const EventInJson& in) { return in.line.device; }, kDeviceForm),
    member("event", "Index from 0 in the events of its device", [](const EventInJson& in) { return in.line.index; }),
    member("time_us", "Microseconds since 1970", [](const EventInJson& in) { return in.event().time_us; }).if_any(),
    member("action", "As the file calls it: alloc, free_requested, free_completed, segment_alloc, oom, ...",
           [](const EventInJson& in) { return bounded(action_text(in.frames, in.event())); }),
    members_of(kTracedMemory, std::identity()),
    member("line", kOwnLineMeaning, [](const EventInJson& in) { return bounded(in.own_line); }).if_any(),
    member("compile_context", "Region of torch.compile",
           [](const EventInJson& in) { return in.text(in.event().compile_context); })
        .if_any(),
    member("user_metadata", "What the program said of it",
           [](const EventInJson& in) { return in.text(in.event().user_metadata); })
        .if_any(),
    member("internal_metadata", "What PyTorch itself said of it",
           [](const EventInJson& in) { return in.text(in.event().internal_metadata); })
        .if_any(),
    members_of(kTracedStacks, std::identity()).when([](const EventInJson& in) { return in.has_stacks; }));

struct AnnotationInJson {
  const FrameTable& frames;
  const Annotation& annotation;
};

[[nodiscard]] inline std::vector<std::pair<std::string_view, std::string_view>>
metadata_of_mark(const AnnotationInJson& in) {
  std::vector<std::pair<std::string_view, std::string_view>> metadata;
  for (const auto& [key, value] : in.annotation.metadata)
    metadata.emplace_back(bounded(in.frames.text(key)), bounded(in.frames.text(value)));
  return metadata;
}

inline constexpr auto kTracedAnnotation = json_object<AnnotationInJson>(
    {.meaning = "A mark of record_function", .name = "annotation"},
    constant("kind", "What this is", std::string_view("annotation")),
    member(
        "device", "", [](const AnnotationInJson& in) { return in.annotation.device; }, kDeviceForm),
    member("time_us", "Microseconds since 1970", [](const AnnotationInJson& in) { return in.annotation.time_us; }),
    member("name", "Its name", [](const AnnotationInJson& in) { return bounded(in.frames.text(in.annotation.name)); }),
    member("stage", "START or END",
           [](const AnnotationInJson& in) { return bounded(in.frames.text(in.annotation.stage)); }),
    member("metadata", "What else the file says of it", metadata_of_mark, kDictionary).if_any());

} // namespace memviz
