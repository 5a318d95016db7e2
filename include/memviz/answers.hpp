#pragma once

// A question about a recording -> its figures, ready to draw and write: everything between a request and flame_svg(),
// state_svg(), timeline_svg(), explain_svg() or a text. A client passes wants_of() a question to a session, passes the
// result of loaded_from() to the question's answer, and asks that answer for its picture or its JSON, as often as it
// likes. This code knows neither command lines nor files, but its messages use the names of the command line's options.

#include "memviz/compare_words.hpp"
#include "memviz/explain_report.hpp"
#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/leaks.hpp"
#include "memviz/memory_report.hpp"
#include "memviz/moment_choice.hpp"
#include "memviz/project_files.hpp"
#include "memviz/segment_times.hpp"
#include "memviz/session.hpp"
#include "memviz/snapshot_pickle.hpp"
#include "memviz/state_json.hpp"
#include "memviz/step_table.hpp"
#include "memviz/svg.hpp"
#include "memviz/timeline_svg.hpp"
#include "memviz/trace.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// The device and the moment that a question is about.
struct Scope {
  std::optional<DeviceId> device = {}; ///< nullopt: all devices
  MomentChoice at = {};                ///< excluding the device
};

/// Selects, for every device, its out-of-memory error, else its peak, else its end.
[[nodiscard]] Scope automatic_scope();
/// Selects the peak of every device.
[[nodiscard]] Scope peak_scope();
/// Returns the moment, whose event index, if it has one, refers to the chosen device.
[[nodiscard]] MomentChoice moment_of(MomentChoice choice, std::optional<DeviceId> device);
[[nodiscard]] inline MomentChoice moment_of(const Scope& scope) {
  return moment_of(scope.at, scope.device);
}

/// A file as it was opened for a question.
struct Loaded : Opened {
  std::string name; ///< the file's name in messages and outputs
};

/// Throws UsageError, with the devices present, when the file has nothing on `device`.
void check_device(const std::string& file, const Recording& recording, std::optional<DeviceId> device);

/// Throws the exceptions of Session::open() and check_device().
[[nodiscard]] Loaded loaded_from(Session& session, const Wants& wants, std::optional<DeviceId> device);

/// Returns the file's name for pictures, without folders, because pictures are shared.
[[nodiscard]] std::string picture_name(const std::string& file);

enum class TreeView : std::uint8_t { memory, segments };

/// The last levels of a tree: the stack that allocated memory, or the path by which it is referred to.
enum class TreeBy : std::uint8_t { stack, keeper };

/// The grouping of memory into a tree, chosen before a file is read. The levels of a view depend on the file.
struct TreeChoice {
  std::optional<TreeView> view = {};
  std::optional<std::vector<Level>> group = {};
  std::optional<FrameFilter> frames = {};
  std::optional<std::string> focus = {};
  std::optional<std::string> hide = {};
  TreeBy by = TreeBy::stack;
  LifeRange lives = {};
};

/// Returns which frames are kept: the ones chosen, by default all except those that PyTorch's own tools omit.
[[nodiscard]] FrameFilter frames_of(const TreeChoice& choice);
/// Whether the levels need the births of blocks (Wants::births).
[[nodiscard]] bool needs_births(const TreeChoice& choice);
/// Whether the levels need the kinds of blocks (Wants::kinds).
[[nodiscard]] bool needs_kinds(const TreeChoice& choice);
/// Whether the levels need the keepers of a recording, which are known at its end.
[[nodiscard]] bool needs_keepers(const TreeChoice& choice);
/// Returns the moment of the scope; where it is automatic, and keepers are needed, the end.
[[nodiscard]] MomentChoice moment_of(const Scope& scope, const TreeChoice& choice);
/// Throws UsageError if the recording has no keepers.
void check_has_keepers(const Recording& recording);
/// Throws UsageError if keepers are needed, and the recording has none, or the state is not its end.
void check_keepers(const TreeChoice& choice, const MemoryState& state);
/// Returns the tree options for a file: the levels of `group`, else of `view`, else of the memory view.
[[nodiscard]] TreeOptions resolved(const TreeChoice& choice, const MemoryState& state, std::optional<DeviceId> device);

struct FlameQuestion {
  Scope scope = automatic_scope();
  TreeChoice tree = {};
};
struct FlameAnswer {
  FlameQuestion question;
  Loaded loaded;
  std::shared_ptr<const KeeperAnswers> keepers; ///< null unless they are levels of the tree
  KindTree built;
};
[[nodiscard]] Wants wants_of(const FlameQuestion& question);
/// Throws the exceptions of build_kind_tree().
[[nodiscard]] FlameAnswer flame_answer(const FlameQuestion& question, Loaded loaded);
/// `shows_patterns`: whether the picture may contain the expressions of the question.
[[nodiscard]] FlamePicture picture_of(const FlameAnswer& answer, bool shows_patterns = true);
[[nodiscard]] TextSource json_of(const FlameAnswer& answer);

struct StateQuestion {
  Scope scope = automatic_scope();
  bool kinds = true; ///< for JSON, and for pictures coloured by kind
};
struct StateAnswer {
  StateQuestion question;
  Loaded loaded;
};
[[nodiscard]] Wants wants_of(const StateQuestion& question);
[[nodiscard]] StatePicture picture_of(const StateAnswer& answer);
[[nodiscard]] TextSource json_of(const StateAnswer& answer);

struct StatsQuestion {
  Scope scope = {};
};
struct StatsAnswer {
  StatsQuestion question;
  Loaded loaded;
  KindsByDevice peak_kinds; ///< whatever the moment
  KeepersByDevice keepers;
};
[[nodiscard]] Wants wants_of(const StatsQuestion& question);
/// Removes other devices, and their warnings, if the question names one.
[[nodiscard]] StatsAnswer stats_answer(const StatsQuestion& question, Loaded loaded);
[[nodiscard]] std::string text_of(const StatsAnswer& answer);
[[nodiscard]] std::string json_of(const StatsAnswer& answer);

struct ExplainQuestion {
  Scope scope = automatic_scope();
  std::optional<std::uint64_t> capacity_bytes = {}; ///< of each device, where the file does not record it
};
struct ExplainAnswer {
  Loaded loaded;
  std::vector<DeviceExplanation> devices;
};
[[nodiscard]] Wants wants_of(const ExplainQuestion& question);
/// Throws UsageError if a device held more than its capacity.
[[nodiscard]] ExplainAnswer explain_answer(const ExplainQuestion& question, Loaded loaded);
[[nodiscard]] ExplainReport report_of(const ExplainAnswer& answer);
[[nodiscard]] ExplainPicture picture_of(const ExplainAnswer& answer);

struct TimelineQuestion {
  std::optional<DeviceId> device = {};
  std::optional<std::uint64_t> from = {}; ///< starts after this event; nullopt: before the first
  std::optional<std::uint64_t> to = {};   ///< ends with this event; nullopt: the last
  bool kinds = true;                      ///< for JSON, and for pictures of allocations
};
struct TimelineAnswer {
  Loaded loaded;
  std::vector<TimelineDevice> devices;
};
[[nodiscard]] Wants wants_of(const TimelineQuestion& question);
/// Throws UsageError for events that no device has.
[[nodiscard]] TimelineAnswer timeline_answer(const TimelineQuestion& question, Loaded loaded);
[[nodiscard]] TimelinePicture picture_of(const TimelineAnswer& answer);
[[nodiscard]] std::string json_of(const TimelineAnswer& answer);

/// The devices and the stacks of two snapshots to compare; each side has its own moment.
struct CompareQuestion {
  std::optional<DeviceId> device = {};
  TreeChoice tree = {};
  std::optional<FrameMatch> match = {}; ///< nullopt: what suits the two files
};
/// One of two snapshots that are compared.
struct ComparedSide {
  std::string name; ///< in outputs
  MemoryState state;
  SegmentTimes segment_times = {};        ///< of the whole recording
  std::vector<std::string> warnings = {}; ///< each with the name
};
struct CompareAnswer {
  CompareQuestion question;
  ComparedSide before;
  ComparedSide after;
  Comparison comparison;
};
/// Returns what each side needs; `times` must be kept until the side is read.
[[nodiscard]] Wants wants_of(const CompareQuestion& question, const MomentChoice& moment, SegmentTimes& times);
/// Returns a side with the warnings about its state.
[[nodiscard]] ComparedSide side_of(std::string name, MemoryState state, SegmentTimes times);
/// A device may be new or gone: throws UsageError for a device that neither side has, and the exceptions of
/// compare_snapshots().
[[nodiscard]] CompareAnswer compare_answer(const CompareQuestion& question, ComparedSide before, ComparedSide after);
/// Returns the report, with the warnings about both sides and about their devices; it refers to the answer.
[[nodiscard]] CompareReport report_of(const CompareAnswer& answer);
/// Returns the picture of a report of that answer; it refers to the answer.
[[nodiscard]] ComparePicture picture_of(const CompareAnswer& answer, const CompareReport& report);

/// The stacks that grow from step to step.
struct LeaksAnswer {
  Loaded loaded;
  std::vector<DeviceLeaks> devices;
};
[[nodiscard]] Wants wants_of(const LeakOptions& question);
/// Throws the exceptions of find_leaks().
[[nodiscard]] LeaksAnswer leaks_answer(const LeakOptions& question, Loaded loaded);
[[nodiscard]] std::string text_of(const LeaksAnswer& answer);
[[nodiscard]] std::string json_of(const LeaksAnswer& answer);

/// The memory of each step.
struct StepsQuestion {
  std::optional<DeviceId> device = {};
  StepChoice steps = {};
};
struct StepsAnswer {
  Loaded loaded;
  std::vector<StepTable> tables;
};
[[nodiscard]] Wants wants_of(const StepsQuestion& question);
/// Throws the exceptions of step_tables().
[[nodiscard]] StepsAnswer steps_answer(const StepsQuestion& question, Loaded loaded);
[[nodiscard]] std::string text_of(const StepsAnswer& answer);
[[nodiscard]] std::string json_of(const StepsAnswer& answer);

/// The weights, gradients and activations at a moment, with stacks in the files of a project.
struct ReportQuestion {
  Scope scope = peak_scope();
  std::optional<std::string> project_root = {}; ///< as the recording spells it; nullopt: the common folder
};
struct ReportAnswer {
  ReportQuestion question;
  Loaded loaded;
  MemoryReport report;
  ProjectFiles project;
};
[[nodiscard]] Wants wants_of(const ReportQuestion& question);
[[nodiscard]] ReportAnswer report_answer(const ReportQuestion& question, Loaded loaded);
/// Returns hints about what a reader might miss.
[[nodiscard]] std::vector<std::string> hints_of(const ReportAnswer& answer);
[[nodiscard]] std::string json_of(const ReportAnswer& answer);

/// A snapshot to write: of one device or all, up to a moment.
struct SnapshotQuestion {
  Scope scope = {};
  std::optional<std::uint64_t> from = {}; ///< the first event written; nullopt: the first of the file
  std::optional<std::uint64_t> to = {};   ///< the last event written, instead of the moment of the scope
};
[[nodiscard]] Wants wants_of(const SnapshotQuestion& question);
/// Throws UsageError if no device has the first event, or if it comes after the last one.
[[nodiscard]] SnapshotPart part_of(const SnapshotQuestion& question, const Loaded& loaded);

struct TraceEnds {
  std::optional<MomentChoice> from = {};
  std::optional<MomentChoice> to = {};
};
struct TraceQuestion {
  TraceEnds ends = {};
  TraceOptions log = {}; ///< with its filter, before the range is narrowed to its ends
};
/// The result of a first pass over the events. Names, annotations and the peak are known only at its end, and keeping
/// millions of events until then would cost more time and memory than a second pass.
struct TraceAnswer {
  TraceQuestion question;
  TraceSurvey survey;
  Loaded loaded;
};
[[nodiscard]] TraceAnswer trace_answer(const TraceQuestion& question, Session& session);
/// Writes the log in a second pass, with head and tail if it is one document; returns the number of events in it. For a
/// device without an out-of-memory error, a range that starts there is empty and one that ends there is everything.
/// Throws UsageError for a moment that the file does not have, and if the range is empty on every device.
std::uint64_t write_trace(const TraceAnswer& answer, Session& session, const TextSink& write);

} // namespace memviz
