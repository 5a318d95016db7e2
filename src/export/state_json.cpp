#include "memviz/state_json.hpp"

#include "base/index_range.hpp"
#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"
#include "export/json_meanings.hpp"
#include "export/kinds_json.hpp"
#include "export/lines_json.hpp"
#include "export/moment_json.hpp"
#include "export/rehearsal_json.hpp"
#include "export/schemas.hpp"
#include "export/text_limit.hpp"
#include "export/trace_lines.hpp"
#include "memviz/block_lines.hpp"
#include "memviz/kinds.hpp"
#include "memviz/warnings.hpp"

#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <vector>

namespace memviz {

namespace {

struct StateInJson {
  const StateSubject& subject;
  const MemoryState& state;
  const BlockLines& lines;
};

struct BlockInJson {
  const StateInJson& of;
  std::size_t index;
  const Block& block;
  const BlockFacts& facts;

  [[nodiscard]] const BlockBirth& birth() const {
    static const BlockBirth unknown;
    return facts.birth ? *facts.birth : unknown;
  }
};

std::string_view metadata_of(const BlockInJson& block) {
  return bounded(block.of.state.frames().text(block.birth().user_metadata));
}

std::string_view annotation_of(const BlockInJson& block, StringId text) {
  return bounded(block.of.state.frames().text(text));
}

constexpr auto kBirthEvent = json_object<BlockInJson>(
    {},
    member("alloc_event",
           "Event that allocated it, index from 0 in the events of its device; absent where it is older than the "
           "recording",
           [](const BlockInJson& block) { return block.facts.history.alloc_event.number(); })
        .at_least(0),
    member("time_us", "Time of that event, microseconds since 1970; null where it has none",
           [](const BlockInJson& block) { return block.birth().time_us; }));

constexpr auto kBlockKind = json_object<BlockInJson>(
    {},
    member(
        "kind", "Kind of memory", [](const BlockInJson& block) { return block.facts.kind.kind; }, kNamedKind),
    member(
        "known_by", "How that is known", [](const BlockInJson& block) { return block.facts.kind.evidence; },
        kNamedEvidence));

constexpr auto kAllocation = json_object<BlockInJson>(
    {},
    member("requested_bytes", "What the program asked for",
           [](const BlockInJson& block) { return block.block.requested_bytes; }),
    member("name", "Address and how often it was used before: b7f064c000000_0, as in trace and timeline",
           [](const BlockInJson& block) {
             return fmt::format("b{:x}_{}", block.block.address, block.birth().earlier_uses);
           }),
    member("line", "Index in lines: which line asked for it",
           [](const BlockInJson& block) { return block.of.lines.of_block[block.index]; }),
    members_of(kBirthEvent, std::identity()).when([](const BlockInJson& block) {
      return !block.facts.history.alloc_event.is_none();
    }),
    members_of(kBlockKind, std::identity()).when([](const BlockInJson& block) { return block.of.state.has_kinds; }),
    member("user_metadata", "What torch.cuda.memory._set_memory_metadata had set", metadata_of)
        .when([](const BlockInJson& block) { return block.birth().user_metadata != kEmptyString; }),
    member(
        "annotations", "What torch.cuda.memory._annotate_tensor said of it",
        [](const BlockInJson& block) -> const std::vector<StringId>& { return block.birth().annotations; },
        made_by(annotation_of, PlainForm{}))
        .if_any());

constexpr auto kBlock = json_object<BlockInJson>(
    {.meaning = "A block; one in use has the members from requested_bytes on",
     .name = "block",
     .layout = JsonLayout::spaced},
    member(
        "address", kDecimalAddressMeaning, [](const BlockInJson& block) { return block.block.address; }, kDecimal),
    member("size_bytes", "Its size", [](const BlockInJson& block) { return block.block.size_bytes; }),
    member(
        "state", "As PyTorch calls it", [](const BlockInJson& block) { return block.block.state; },
        named(state_name, BlockState::active_allocated, BlockState::inactive)),
    members_of(kAllocation, std::identity()).when([](const BlockInJson& block) { return block.block.is_active(); }));

struct SegmentInJson {
  const StateInJson& of;
  const Segment& segment;
};

BlockInJson block_of(const SegmentInJson& segment, std::size_t index) {
  return {segment.of, index, segment.of.state.blocks[index], segment.of.state.facts[index]};
}

constexpr auto kSegmentFigures = json_object<Segment>(
    {}, //
    member("device", "", &Segment::device, kDeviceForm),
    member("address", kDecimalAddressMeaning, &Segment::address, kDecimal),
    member("total_bytes", "Its size: blocks and uncovered_bytes", &Segment::total_bytes),
    member("stream", kDecimalStreamMeaning, &Segment::stream, kDecimal),
    member("pool", "Its memory pool: two numbers, (0, 0) is the usual one",
           [](const Segment& segment) {
             return std::array{segment.pool.first, segment.pool.second};
           }),
    member("is_expandable", "Whether it is an expandable segment", &Segment::is_expandable),
    member("is_large", "Whether it is of large allocations; null where the file does not say", &Segment::is_large),
    member("uncovered_bytes", "Bytes that no block covers", &Segment::uncovered_bytes));

constexpr auto kSegment = json_object<SegmentInJson>(
    {.meaning = "A segment", .name = "segment"},
    members_of(kSegmentFigures, [](const SegmentInJson& segment) -> const Segment& { return segment.segment; }),
    member(
        "blocks", "In address order",
        [](const SegmentInJson& segment) {
          const std::size_t first = segment.segment.first_block;
          return IndexRange{first, first + segment.segment.block_count};
        },
        made_by(block_of, kBlock)));

constexpr auto kStateDevice = json_object<DeviceState>(
    {.meaning = "A device at its moment", .name = "totals"}, //
    member("device", "", &DeviceState::device, kDeviceForm), member("at", "", &DeviceState::moment, kMoment),
    member("segments", "How many", part_of(&DeviceState::figures, &MemoryTotals::segments)),
    member("blocks", "How many, free ones included", part_of(&DeviceState::figures, &MemoryTotals::blocks)),
    members_of(kTotals, &DeviceState::figures),
    member("unaccounted_bytes", "Reserved bytes that no block covers",
           part_of(&DeviceState::figures, &MemoryTotals::unaccounted_bytes)),
    member("requested_bytes", "Bytes that the program asked for and has not freed",
           part_of(&DeviceState::figures, &MemoryTotals::requested_bytes)),
    member("rounding_bytes", "Bytes that the allocator added",
           part_of(&DeviceState::figures, &MemoryTotals::rounding_bytes)),
    member("outside_bytes",
           "Requested bytes that lived by the events and for which no segment has room: they have no block",
           part_of(&DeviceState::figures, &MemoryTotals::outside_bytes)));

constexpr auto kStateLine = laid_out(kLine, JsonLayout::spaced);

constexpr auto kState = json_described<StateInJson>(
    {.schema = "memviz.state/1.2",
     .title = "memviz state --json",
     .meaning = "Every segment with its blocks at a moment, in address order"},
    member("file", kSnapshotMeaning, [](const StateInJson& state) -> const std::string& { return state.subject.file; }),
    member(
        "rehearsal", "",
        [](const StateInJson& state) -> const std::optional<Rehearsal>& {
          return state.state.recording->origin.rehearsal;
        },
        kRehearsal)
        .if_any(),
    member(
        "devices", "Each device, or the one of --device",
        [](const StateInJson& state) { return state.state.devices_of(state.subject.device); }, kStateDevice),
    member(
        "lines", "The user's own lines that hold blocks, most first; blocks name them by index",
        [](const StateInJson& state) -> const std::vector<UserLine>& { return state.lines.lines; },
        made_by(
            [](const StateInJson& state, const UserLine& line) {
              return LineInJson{state.state.frames(), line};
            },
            kStateLine)),
    member(
        "segments", "By device, then by address",
        [](const StateInJson& state) { return state.state.segments_of(state.subject.device); },
        made_by(
            [](const StateInJson& state, const Segment& segment) {
              return SegmentInJson{state, segment};
            },
            kSegment)),
    member("warnings", kWarningsMeaning, [](const StateInJson& state) { return warnings_and_losses(state.state); }));

/// One text may belong to millions of blocks.
void check_texts(const StateSubject& subject) {
  const FrameTable& frames = subject.state.frames();
  TextLimit limit(subject.state.recording->origin.size_bytes, "--device makes less");
  for (const BlockFacts& facts : subject.state.facts) {
    if (!facts.birth) continue;
    limit.add(bounded(frames.text(facts.birth->user_metadata)).size());
    for (const StringId text : facts.birth->annotations)
      limit.add(bounded(frames.text(text)).size());
  }
}

} // namespace

TextSource state_json_source(const StateSubject& subject) {
  check_texts(subject);
  return [subject](const TextSink& sink) {
    const BlockLines lines = block_lines(subject.state, subject.device);
    std::string text;
    JsonWriter json(text, sink);
    write_document(json, kState, {subject, subject.state, lines});
    sink(text + '\n');
  };
}

std::string state_schema() {
  return schema_text(kState);
}

} // namespace memviz
