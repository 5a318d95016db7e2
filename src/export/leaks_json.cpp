#include "base/json_object_schema.hpp"
#include "export/causes_json.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/kinds_json.hpp"
#include "export/limited_json.hpp"
#include "export/line_json.hpp"
#include "export/lines_json.hpp"
#include "export/schemas.hpp"
#include "export/stack_lines.hpp"
#include "export/steps_json.hpp"
#include "memviz/kinds.hpp"
#include "memviz/label.hpp"
#include "memviz/leaks.hpp"
#include "memviz/leaks_report.hpp"
#include "memviz/warnings.hpp"
#include "story/keeper_words.hpp"
#include "story/leaks_words_gate.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

namespace {

std::string_view doubt_name(Doubt doubt) {
  switch (doubt) {
  case Doubt::none: return "none";
  case Doubt::one_pass: return "one pass";
  case Doubt::loading: return "loading";
  case Doubt::offset: return "offset";
  }
  return "none";
}

/// The tables that the answer for all devices needs.
struct LeakTables {
  LeakTables(const std::string& its_file, const MemoryState& its_state, const std::vector<DeviceLeaks>& its_devices)
      : file(its_file), state(its_state), devices(its_devices), frames(its_state.frames()), lines(frames),
        calls(frames), kinds(kinds_by_stack(its_state)),
        limit(its_state.recording->origin.size_bytes, "--device or -o write less") {}

  const std::string& file;
  const MemoryState& state;
  const std::vector<DeviceLeaks>& devices;
  const FrameTable& frames;
  StackLines lines;
  CallLineFinder calls;
  std::map<std::pair<DeviceId, StackId>, MemoryKind> kinds;
  TextLimit limit;
};

struct LeaksInJson {
  LeakTables& tables;
  const DeviceLeaks& leaks;
};

struct GrowingStack {
  LeakTables& tables;
  const DeviceLeaks& leaks;
  const StackGrowth& growth;

  [[nodiscard]] std::span<const FrameId> frames() const { return tables.frames.stack(growth.stack); }
  [[nodiscard]] const std::string& line() const { return tables.lines.line(growth.stack); }
};

TextLimit& limit_of_stack(const GrowingStack& in) {
  return in.tables.limit;
}

std::optional<std::string> inner_line_of(const GrowingStack& in) {
  const auto inner = in.tables.lines.finder().inner_line_of(in.growth.stack);
  return inner ? std::optional(node_label(in.tables.frames, *inner)) : std::nullopt;
}

std::vector<std::string> callers_of_stack(const GrowingStack& in) {
  return callers_of(in.tables.frames, in.tables.calls, in.growth.stack);
}

std::optional<MemoryKind> kind_of_stack(const GrowingStack& in) {
  const auto kind = in.tables.kinds.find({in.leaks.device, in.growth.stack});
  return kind == in.tables.kinds.end() ? std::nullopt : std::optional(kind->second);
}

const StackKeeper* keeper_of_stack(const GrowingStack& in) {
  const auto found = in.leaks.keepers.find(in.growth.stack);
  return found == in.leaks.keepers.end() || !found->second.variable ? nullptr : &found->second;
}

struct StackKeeperInJson {
  const GrowingStack& of;
  const StackKeeper& keeper;
};

constexpr auto kStackKeeper = json_object<StackKeeperInJson>(
    {},
    member(
        "text", "Its name, what it is, and where it is",
        [](const StackKeeperInJson& in) { return variable_text(in.of.tables.frames, *in.keeper.variable); },
        limited([](const StackKeeperInJson& in) -> TextLimit& { return in.of.tables.limit; }, PlainForm{})),
    member("bytes", "Bytes of the stack that it keeps", [](const StackKeeperInJson& in) { return in.keeper.bytes; }),
    member("stack_bytes", "Bytes of the stack in use",
           [](const StackKeeperInJson& in) { return in.keeper.stack_bytes; }));

constexpr auto kTrend = json_object<StackGrowth>(
    {},
    member("bytes_per_step", "What it grows by in a step, bytes",
           [](const StackGrowth& growth) { return std::llround(growth.trend.bytes_per_step); }),
    member("growth_bytes", "What it grew by from the first step to the last, bytes",
           [](const StackGrowth& growth) {
             return static_cast<std::int64_t>(growth.last_bytes) - static_cast<std::int64_t>(growth.first_bytes);
           }),
    member("rises", "Steps in which it rose", part_of(&StackGrowth::trend, &Trend::rises)),
    member("falls", "Steps in which it fell", part_of(&StackGrowth::trend, &Trend::falls)),
    member("last_rise_step", "The last step in which it rose", part_of(&StackGrowth::trend, &Trend::last_rise)));

constexpr std::array<std::string_view, 2> kSignWords{"floor", "survivors"};

constexpr auto kSign = json_object<StackGrowth>(
    {}, member("seen_steps", "Steps in which the sign was seen", &StackGrowth::seen_steps),
    member("of_steps", "Of so many", &StackGrowth::of_steps),
    member("first_step", "Step from which it grows", part_of(&StackGrowth::trend, &Trend::first_step)),
    member("confidence_word", "How sure that is", part_of(&StackGrowth::trend, &Trend::confidence),
           named(confidence_word, Confidence::low, Confidence::high)),
    member("sign", "What shows it: the lowest live bytes, or what survives its step", &StackGrowth::sign,
           one_of(kSignWords)));

std::optional<std::string> freeing_line(const GrowingStack& in) {
  const StackId stack = in.growth.burst.stack;
  return in.tables.frames.stack(stack).empty() ? std::nullopt : std::optional(in.tables.lines.line(stack));
}

constexpr auto kBurst = json_object<GrowingStack>(
    {}, member("step", "In which step", [](const GrowingStack& in) { return in.growth.burst.step; }),
    member("bytes", "Bytes freed", [](const GrowingStack& in) { return in.growth.burst.bytes; }),
    member("blocks", "Blocks freed", [](const GrowingStack& in) { return in.growth.burst.blocks; }),
    member("line", "Line that freed them, where it is known", freeing_line).if_any());

constexpr auto kStepBytes = json_object<StackGrowth>(
    {}, member("floor_bytes", "Lowest live bytes of each step", &StackGrowth::floor_bytes),
    member("start_bytes", "Live bytes at the start of each step", &StackGrowth::start_bytes),
    member("survivor_bytes", "Bytes allocated in each step that outlive it", &StackGrowth::survivor_bytes));

struct StackFrame {
  const FrameTable& frames;
  FrameId id;
};

constexpr auto kStackFrame = json_object<StackFrame>(
    {.meaning = "A frame of a stack", .name = "frame", .layout = JsonLayout::compact},
    member("name", "Function", [](const StackFrame& frame) { return frame.frames.name(frame.id); }),
    member("file", "File, as recorded", [](const StackFrame& frame) { return frame.frames.filename(frame.id); }),
    member("line", "Line; null where it is not known",
           [](const StackFrame& frame) { return known_line(frame.frames.frame(frame.id).line); }));

const StackGrowth& growth_of(const GrowingStack& in) {
  return in.growth;
}

bool is_of_trend(const GrowingStack& in, TrendKind kind) {
  return in.growth.trend.kind == kind;
}

/// Deep stacks are most of the text, so each has one line.
constexpr auto kGrowingStack = json_object<GrowingStack>(
    {.meaning = "A stack, of those without frames a size", .name = "growth", .layout = JsonLayout::compact},
    member("line", kOwnLineMeaning, &GrowingStack::line, limited(limit_of_stack, PlainForm{})),
    member("inner_line",
           "The innermost line of a library, else of torch, that the line called; absent where there is none",
           inner_line_of, limited(limit_of_stack, PlainForm{}))
        .if_any(),
    member("callers", kCallersMeaning, callers_of_stack, limited(limit_of_stack, PlainForm{})).if_any(),
    member("block_bytes", "Without frames: the size of its blocks",
           [](const GrowingStack& in) { return in.growth.size_bytes; })
        .when([](const GrowingStack& in) { return in.frames().empty(); }),
    member("kind", "Kind of memory, where one kind is most of it", kind_of_stack, kNamedKind).if_any(),
    member("keeper",
           "The variable that keeps most of its blocks in use at the end, if the recording has keepers and one does",
           keeper_of_stack,
           made_by(
               [](const GrowingStack& in, const StackKeeper& keeper) {
                 return StackKeeperInJson{in, keeper};
               },
               kStackKeeper))
        .if_any(),
    members_of(kTrend, growth_of),
    members_of(kSign, growth_of).when([](const GrowingStack& in) { return is_of_trend(in, TrendKind::grows); }),
    member("end_bytes", "Live bytes at the end", [](const GrowingStack& in) { return in.growth.end_bytes; }),
    member("end_blocks", "Live blocks at the end", [](const GrowingStack& in) { return in.growth.end_blocks; }),
    member(
        "largest_free", "Of late frees: the largest burst", [](const GrowingStack& in) -> const auto& { return in; },
        kBurst)
        .when([](const GrowingStack& in) { return is_of_trend(in, TrendKind::late_frees); }),
    members_of(kStepBytes, growth_of).when([](const GrowingStack& in) { return !in.growth.floor_bytes.empty(); }),
    from_here(JsonLayout::spaced),
    member("frames", "The stack, innermost first", &GrowingStack::frames,
           limited(limit_of_stack, made_by(
                                       [](const GrowingStack& in, FrameId id) {
                                         return StackFrame{in.tables.frames, id};
                                       },
                                       kStackFrame))));

/// A cause of earlier calls, which is judged only if a request failed.
constexpr auto kKeptCause = json_object<CauseInJson>(
    {.meaning = "A cause, with the memory that it explains. Causes may overlap", .name = "cause"},
    member(
        "cause", "Which cause", [](const CauseInJson& in) { return in.cause.kind; },
        named(cause_name, CauseKind::kept_graphs, CauseKind::kept_outputs)),
    member("bytes", "Requested bytes", [](const CauseInJson& in) { return in.cause.bytes; }),
    constant("has_request", "Always false: the request that failed is not part of them", false),
    constant("falls_short", "Always false: it is judged only if a request failed", false),
    constant("missing_bytes_without", "Always null: it is judged only if a request failed", nullptr),
    constant("batch_divisor", "Always null: it is judged only if a request failed", nullptr),
    member("blocks", "Blocks that are alive", [](const CauseInJson& in) { return in.cause.blocks; }),
    member("calls", "Earlier calls whose blocks are alive", [](const CauseInJson& in) { return in.cause.calls; }),
    constant("to_come_bytes", "Always 0: what the program would still have made is known only if a request failed", 0),
    members_of(kCauseLines, std::identity()));

constexpr auto kGrowing = made_by(
    [](const LeaksInJson& in, const StackGrowth& growth) {
      return GrowingStack{in.tables, in.leaks, growth};
    },
    kGrowingStack);

constexpr auto kDoubt = json_object<LeaksInJson>(
    {.layout = JsonLayout::compact},
    member(
        "reason", "The doubt", [](const LeaksInJson& in) { return in.leaks.doubt; },
        named(doubt_name, Doubt::one_pass, Doubt::offset)),
    from_here(JsonLayout::spaced),
    member(
        "stacks", "The stacks", [](const LeaksInJson& in) -> const auto& { return in.leaks.doubtful; }, kGrowing)
        .as(JsonLayout::hanging));

std::string_view capacity_source_name(CapacitySource source) {
  return source == CapacitySource::given ? "given" : "oom";
}

constexpr auto kLeakFigures = json_object<DeviceLeaks>(
    {}, member("stacks", "Stacks that were looked at", &DeviceLeaks::stacks),
    member("bytes_per_step", "What the device grows by in a step, bytes", &DeviceLeaks::bytes_per_step),
    member("capacity_bytes", "What PyTorch can have of the device", &DeviceLeaks::capacity_bytes).if_any(),
    member("capacity_source", "Where that is from", &DeviceLeaks::capacity_source,
           named(capacity_source_name, CapacitySource::given, CapacitySource::oom))
        .when([](const DeviceLeaks& leaks) { return leaks.capacity_bytes.has_value(); }),
    member("steps_left", "Steps until the device is full", &DeviceLeaks::steps_left).if_any(),
    member("floor_bytes", "Lowest live bytes of each step", &DeviceLeaks::floor_bytes),
    member("peak_bytes", "Highest live bytes of each step", &DeviceLeaks::peak_bytes));

constexpr auto kLeaksDevice = json_object<LeaksInJson>(
    {.meaning = "A device", .name = "leaks", .layout = JsonLayout::compact},
    member(
        "device", "", [](const LeaksInJson& in) { return in.leaks.device; }, kDeviceForm),
    member("events", "Its events", [](const LeaksInJson& in) { return in.leaks.events; }),
    member(
        "steps", "How the recording was cut into steps",
        [](const LeaksInJson& in) {
          return StepsInJson{*in.tables.state.recording, in.leaks.steps};
        },
        limited([](const LeaksInJson& in) -> TextLimit& { return in.tables.limit; }, form_of(kSteps))),
    members_of(
        kLeakFigures, [](const LeaksInJson& in) -> const auto& { return in.leaks; }),
    from_here(JsonLayout::spaced),
    member(
        "grows", "Stacks that grow until the end", [](const LeaksInJson& in) -> const auto& { return in.leaks.grows; },
        kGrowing)
        .as(JsonLayout::hanging),
    member(
        "doubtful", "Stacks that may grow, and why that is not sure",
        [](const LeaksInJson& in) -> const auto& { return in; }, kDoubt)
        .when([](const LeaksInJson& in) { return in.leaks.doubt != Doubt::none; }),
    member(
        "late_frees", "Stacks whose memory is freed late, in bursts: reference cycles",
        [](const LeaksInJson& in) -> const auto& { return in.leaks.late_frees; }, kGrowing)
        .as(JsonLayout::hanging),
    member(
        "replaced",
        "Stacks that grow, but with larger blocks instead of those that are freed: caches that torch.cat() extends",
        [](const LeaksInJson& in) -> const auto& { return in.leaks.replaced; }, kGrowing)
        .as(JsonLayout::hanging),
    member(
        "stopped", "Stacks that grew and stopped: caches",
        [](const LeaksInJson& in) -> const auto& { return in.leaks.stopped; }, kGrowing)
        .as(JsonLayout::hanging),
    member(
        "kept", "Memory of earlier calls that is still alive at the end, by the rule of memviz explain; largest first",
        [](const LeaksInJson& in) -> const auto& { return in.leaks.kept; },
        made_by(
            [](const LeaksInJson& in, const Cause& cause) {
              return CauseInJson{in.tables.frames, {.requested_bytes = in.leaks.requested_bytes}, cause};
            },
            kKeptCause)));

struct LeaksDocument {
  LeakTables& tables;
};

constexpr auto kLeaks = json_described<LeaksDocument>(
    {.schema = "memviz.leaks/1.3",
     .title = "memviz leaks --json",
     .meaning = "Stacks whose memory grows from step to step. One document for one file. Where the command line names "
                "several files or a folder, a line for each: a document, or one of memviz.unread for a file that could "
                "not be read."},
    member(
        "file", kSnapshotMeaning, [](const LeaksDocument& in) -> const auto& { return in.tables.file; }),
    member(
        "devices", "Each device, or the one of --device",
        [](const LeaksDocument& in) -> const auto& { return in.tables.devices; },
        made_by(
            [](const LeaksDocument& in, const DeviceLeaks& leaks) {
              return LeaksInJson{in.tables, leaks};
            },
            kLeaksDevice))
        .as(JsonLayout::rows),
    member("warnings", kWarningsMeaning, [](const LeaksDocument& in) {
      return warnings_of(in.tables.state);
    }).as(JsonLayout::compact));

} // namespace

std::string leaks_json(const std::string& file, const MemoryState& state, const std::vector<DeviceLeaks>& devices) {
  LeakTables tables(file, state, devices);
  return document_text(kLeaks, {tables});
}

std::string leaks_schema() {
  return schema_text(kLeaks);
}

} // namespace memviz
