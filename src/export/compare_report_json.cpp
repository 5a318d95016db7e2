#include "memviz/compare_report.hpp"

#include "base/index_range.hpp"
#include "base/json_object_schema.hpp"
#include "export/device_json.hpp"
#include "export/gauge_json.hpp"
#include "export/json_meanings.hpp"
#include "export/kinds_json.hpp"
#include "export/moment_json.hpp"
#include "export/schemas.hpp"
#include "memviz/compare_words.hpp"
#include "memviz/label.hpp"
#include "story/compare_words.hpp"

#include <functional>
#include <variant>

namespace memviz {

namespace {

/// Rises when a name or a meaning changes; additions do not count.
constexpr int kCompareVersion = 1;

constexpr auto kCompareSide = json_object<CompareSide>(
    {.meaning = "One of the two files", .name = "side"}, member("file", kSnapshotMeaning, &CompareSide::file),
    member("moment", "Which moment of it, in words", &CompareSide::moment));

constexpr auto kComparedState = json_object<DeviceState>(
    {.meaning = "A device at the moment of its side", .name = "stats"}, member("at", "", &DeviceState::moment, kMoment),
    members_of(kTotals, &DeviceState::figures),
    member("requested_bytes", "Bytes that the program asked for and has not freed",
           part_of(&DeviceState::figures, &DeviceFigures::requested_bytes)));

constexpr auto kKindChange =
    json_object<KindChange>({.meaning = "A kind of memory"}, member("kind", "The kind", &KindChange::kind, kNamedKind),
                            member("before_bytes", "Before", &KindChange::before_bytes),
                            member("after_bytes", "After", &KindChange::after_bytes),
                            member("change_bytes", "after - before", &KindChange::delta_bytes));

struct ComparedDevice {
  const DeviceReadings& readings;
  const DeviceChange& change;
};

constexpr auto kComparedDevice = json_object<ComparedDevice>(
    {.meaning = "A device", .name = "devices"},
    member(
        "device", "", [](const ComparedDevice& device) { return device.readings.device; }, kDeviceForm),
    members_of(
        kReadings, [](const ComparedDevice& device) -> const auto& { return device.readings; }),
    member(
        "before", "", [](const ComparedDevice& device) -> const auto& { return device.change.before; }, kComparedState),
    member(
        "after", "", [](const ComparedDevice& device) -> const auto& { return device.change.after; }, kComparedState),
    member(
        "kinds", "Kinds of memory at the moments that are compared; none where no kind is known on either side",
        [](const ComparedDevice& device) -> const auto& { return device.change.kinds; }, kKindChange));

struct LineChangeInJson {
  const FrameTable& frames;
  const UserLineChange& line;

  [[nodiscard]] FrameId frame() const { return std::get<FrameId>(line.key); }
};

constexpr auto kChangedFrame = json_object<LineChangeInJson>(
    {}, member("function", "Its function", [](const LineChangeInJson& line) { return line.frames.name(line.frame()); }),
    member("file", "Its file", [](const LineChangeInJson& line) { return line.frames.filename(line.frame()); }),
    member("line_number", "Its line; of functions that are compared, the one that holds most",
           [](const LineChangeInJson& line) { return line.frames.frame(line.frame()).line; }));

constexpr auto kLineChange = json_object<LineChangeInJson>(
    {.meaning = "A line within another", .name = "inner_change"},
    member("line", kOwnLineMeaning,
           [](const LineChangeInJson& line) { return node_label(line.frames, line.line.key); }),
    members_of(kChangedFrame, std::identity()).when([](const LineChangeInJson& line) {
      return is_frame(line.line.key);
    }),
    member(
        "device", "", [](const LineChangeInJson& line) { return line.line.device; }, kDeviceForm)
        .if_any(),
    member("before_bytes", "Requested bytes before",
           [](const LineChangeInJson& line) { return line.line.change.before.bytes; }),
    member("after_bytes", "Requested bytes after",
           [](const LineChangeInJson& line) { return line.line.change.after.bytes; }),
    member("change_bytes", "after - before",
           [](const LineChangeInJson& line) { return line.line.change.delta_bytes(); }),
    member("before_blocks", "Blocks before",
           [](const LineChangeInJson& line) { return line.line.change.before.blocks; }),
    member("after_blocks", "Blocks after", [](const LineChangeInJson& line) { return line.line.change.after.blocks; }));

constexpr auto kOuterChange = json_object<LineChangeInJson>(
    {.meaning = "A line, or memory without a stack", .name = "change"}, members_of(kLineChange, std::identity()),
    member(
        "within",
        "Of a line that has more than half of all that changed: the innermost lines that it called and that changed "
        "most, at most three",
        [](const LineChangeInJson& line) -> const auto& { return line.line.within; },
        made_by(
            [](const LineChangeInJson& line, const UserLineChange& inner) {
              return LineChangeInJson{line.frames, inner};
            },
            kLineChange))
        .if_any());

constexpr auto kSegmentRef = json_object<SegmentRef>(
    {.meaning = "A segment", .name = "segment"},
    member("address", kDecimalAddressMeaning, &SegmentRef::address, kDecimal),
    member("bytes", "Its size", &SegmentRef::total_bytes), member("device", "", &SegmentRef::device, kDeviceForm),
    member("stream", "Its stream", &SegmentRef::stream));

constexpr auto kEnvironmentChange = json_object<EnvironmentChange>(
    {.meaning = "The generation of PyTorch, the made-up GPU or an allocator setting", .layout = JsonLayout::compact},
    member("name", "written by (the generation of PyTorch), made-up GPU, or the name of a setting",
           &EnvironmentChange::name),
    member("before", "Its value before; null if it is not recorded", &EnvironmentChange::before),
    member("after", "Its value after; null if it is not recorded", &EnvironmentChange::after));

constexpr auto kStepChange = json_object<StepChange>(
    {.meaning = "A step", .layout = JsonLayout::compact},
    member("step", "Its number, from 1", &StepChange::step).at_least(1),
    member("peak_before_bytes", "Its peak before", part_of(&StepChange::before, &StepFigures::peak_bytes)),
    member("peak_after_bytes", "Its peak after", part_of(&StepChange::after, &StepFigures::peak_bytes)),
    member("peak_change_bytes", "after - before", &StepChange::peak_bytes),
    member("end_before_bytes", "Requested bytes at its end before",
           part_of(&StepChange::before, &StepFigures::end_bytes)),
    member("end_after_bytes", "Requested bytes at its end after", part_of(&StepChange::after, &StepFigures::end_bytes)),
    member("end_change_bytes", "after - before", &StepChange::end_bytes));

struct ComparedSteps {
  const StepComparison& steps;
  bool has_others; ///< whether there are other devices
};

constexpr auto kComparedSteps = json_object<ComparedSteps>(
    {.meaning = "The steps of a device", .name = "steps"},
    member(
        "device", "", [](const ComparedSteps& compared) { return compared.steps.device; }, kDeviceForm),
    member("text", "In which step they differ most, or why they cannot be compared",
           [](const ComparedSteps& compared) { return steps_difference_text(compared.steps, compared.has_others); }),
    member(
        "rows", "The steps that both have; none where those of a side are not known",
        [](const ComparedSteps& compared) -> const auto& { return compared.steps.rows; }, kStepChange));

LineChangeInJson line_change(const CompareReport& report, const UserLineChange& line) {
  return {report.comparison.frames, line};
}

LineChangeInJson line_change_at(const CompareReport& report, std::size_t index) {
  return {report.comparison.frames, report.comparison.changes[index]};
}

constexpr auto kCompareGate = json_object<CompareReport>(
    {},
    member(
        "limit", "The limit as it was given",
        [](const CompareReport& report) -> const auto& { return report.verdict->limits.given; }),
    members_of(
        kJudgement, [](const CompareReport& report) -> const auto& { return *report.verdict; }),
    member(
        "lines", "Lines that grew by more than the limit of `line`, largest growth first",
        [](const CompareReport& report) -> const auto& { return report.verdict->lines; },
        made_by(line_change_at, kOuterChange)),
    member("text", "The verdict as a sentence",
           [](const CompareReport& report) { return exceeded_text(report).value_or(passed_text(report)); }));

constexpr auto kComparison = json_object<Comparison>(
    {},
    member(
        "devices", "Each device that either file has",
        [](const Comparison& comparison) { return indexes(comparison.readings.size()); },
        made_by(
            [](const Comparison& comparison, std::size_t i) {
              return ComparedDevice{comparison.readings[i], comparison.devices[i]};
            },
            kComparedDevice)),
    member("match", "What makes two frames the same", &Comparison::match, one_of(kMatchWords)),
    member("match_is_chosen", "Whether memviz chose that", &Comparison::is_match_chosen),
    member("moved_lines_bytes", "Bytes of lines that only moved", &Comparison::moved_lines_bytes),
    member("moved_files", "Files in different folders, which were treated as the same", &Comparison::moved_files),
    member("script_before",
           "Name of the script before, where it was treated as the same under another name; else empty",
           &Comparison::script_before),
    member("script_after", "Its name after, likewise", &Comparison::script_after));

constexpr auto kSegmentChanges = json_object<Comparison>(
    {},
    member("only_before", "Segments that only the file before has at its end", &Comparison::only_before, kSegmentRef),
    member("only_after", "Segments that only the file after has at its end", &Comparison::only_after, kSegmentRef),
    member("segments_in_both",
           "Segments that both have, by address and size; with two_processes they are equal by chance",
           [](const Comparison& comparison) { return comparison.in_both.size(); }),
    member(
        "two_processes",
        "Whether the files are of two processes: they have no segment in common, or most of those differ by the time "
        "of their allocation or by their stack",
        &Comparison::has_two_processes));

constexpr auto kCompare = json_described<CompareReport>(
    {.schema = "memviz.compare/1.1",
     .title = "memviz compare --json",
     .meaning = "What changed from one snapshot to another"},
    constant("schema_version", "The version as older readers look for it", kCompareVersion),
    member("before", "", &CompareReport::before, kCompareSide),
    member("after", "", &CompareReport::after, kCompareSide),
    members_of(
        kComparison, [](const CompareReport& report) -> const auto& { return report.comparison; }),
    member(
        "changes", "Lines, those that changed most first",
        [](const CompareReport& report) -> const auto& { return report.comparison.changes; },
        made_by(line_change, kOuterChange)),
    members_of(
        kSegmentChanges, [](const CompareReport& report) -> const auto& { return report.comparison; }),
    member("environment", "What differs in how the two were made, as far as the files record it",
           &CompareReport::environment, kEnvironmentChange),
    member("steps", "The steps of each device that both have; with --by-step alone", &CompareReport::steps,
           made_by(
               [](const CompareReport& report, const StepComparison& steps) {
                 return ComparedSteps{steps, report.steps->size() > 1};
               },
               kComparedSteps))
        .if_any(),
    member("gate", "With --fail-over: whether it was passed", std::identity(), kCompareGate)
        .when([](const CompareReport& report) { return report.verdict.has_value(); }),
    member("warnings", kWarningsMeaning, &CompareReport::warnings));

} // namespace

std::string compare_json(const CompareReport& report) {
  return document_text(kCompare, report);
}

std::string compare_schema() {
  return schema_text(kCompare);
}

} // namespace memviz
