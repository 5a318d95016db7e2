#pragma once

// A question about a recording -> its figures, ready to be drawn and written: all that is between a wish and
// flame_svg(), state_svg(), timeline_svg(), explain_svg() or a text. A client says wants_of() a question to a session,
// hands what loaded_from() returns to the question's answer, and asks that for its picture or its JSON, as often as it
// likes. Nothing here knows of command lines or files; messages call a wish by the option that the command line has.

#include "memviz/explain_report.hpp"
#include "memviz/export.hpp"
#include "memviz/flame.hpp"
#include "memviz/moment_choice.hpp"
#include "memviz/session.hpp"
#include "memviz/snapshot_pickle.hpp"
#include "memviz/state_json.hpp"
#include "memviz/svg.hpp"
#include "memviz/timeline_svg.hpp"
#include "memviz/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// The device and the moment that a question is about.
struct Scope {
  std::optional<DeviceId> device = {}; ///< nothing: all of them
  MomentChoice at = {};                ///< without the device
};

/// Every device at its out-of-memory error, else at its peak, else at its end.
[[nodiscard]] Scope automatic_scope();
/// Every device at its peak.
[[nodiscard]] Scope peak_scope();
/// A moment given by the index of an event is one of the device chosen.
[[nodiscard]] MomentChoice moment_of(MomentChoice choice, std::optional<DeviceId> device);
[[nodiscard]] inline MomentChoice moment_of(const Scope& scope) {
  return moment_of(scope.at, scope.device);
}

/// A file as it was opened for a question.
struct Loaded : Opened {
  std::string name; ///< what messages and outputs call the file
};

/// Throws UsageError, with the devices present, when the file has nothing on `device`.
void check_device(const std::string& file, const Recording& recording, std::optional<DeviceId> device);

/// Throws what Session::open() and check_device() throw.
[[nodiscard]] Loaded loaded_from(Session& session, const Wants& wants, std::optional<DeviceId> device);

/// Returns the file's name for pictures: without folders, because a picture is passed on.
[[nodiscard]] std::string picture_name(const std::string& file);

enum class TreeView : std::uint8_t { memory, segments };

/// The grouping of memory into a tree, as it is chosen before a file is read. The levels of a view depend on the file.
struct TreeChoice {
  std::optional<TreeView> view = {};
  std::optional<std::vector<Level>> group = {};
  std::optional<FrameFilter> frames = {};
  std::optional<std::string> focus = {};
  std::optional<std::string> hide = {};
  LifeRange lives = {};
};

/// The frames that are kept: what was chosen, else all but what PyTorch's own tools leave out.
[[nodiscard]] FrameFilter frames_of(const TreeChoice& choice);
/// Whether the levels need the births of blocks: Wants::births.
[[nodiscard]] bool needs_births(const TreeChoice& choice);
/// Whether they need the kinds of blocks: Wants::kinds.
[[nodiscard]] bool needs_kinds(const TreeChoice& choice);
/// The tree options for a file: the levels of `group`, else of `view`, else of the memory view.
[[nodiscard]] TreeOptions resolved(const TreeChoice& choice, const MemoryState& state, std::optional<DeviceId> device);

struct FlameQuestion {
  Scope scope = automatic_scope();
  TreeChoice tree = {};
};
struct FlameAnswer {
  FlameQuestion question;
  Loaded loaded;
  KindTree built;
};
[[nodiscard]] Wants wants_of(const FlameQuestion& question);
/// Throws what build_kind_tree() throws.
[[nodiscard]] FlameAnswer flame_answer(const FlameQuestion& question, Loaded loaded);
/// `shows_patterns`: whether the expressions of the question may be in the picture.
[[nodiscard]] FlamePicture picture_of(const FlameAnswer& answer, bool shows_patterns = true);
[[nodiscard]] TextSource json_of(const FlameAnswer& answer);

struct StateQuestion {
  Scope scope = automatic_scope();
  bool kinds = true; ///< for JSON, and for pictures that are coloured by kind
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
};
[[nodiscard]] Wants wants_of(const StatsQuestion& question);
/// Keeps one device alone where the question names one, and so its warnings.
[[nodiscard]] StatsAnswer stats_answer(const StatsQuestion& question, Loaded loaded);
[[nodiscard]] std::string text_of(const StatsAnswer& answer);
[[nodiscard]] std::string json_of(const StatsAnswer& answer);

struct ExplainQuestion {
  Scope scope = automatic_scope();
  std::optional<std::uint64_t> capacity_bytes = {}; ///< of each device, where the file does not say it
};
struct ExplainAnswer {
  Loaded loaded;
  std::vector<DeviceExplanation> devices;
};
[[nodiscard]] Wants wants_of(const ExplainQuestion& question);
/// Throws UsageError where a device held more than its capacity.
[[nodiscard]] ExplainAnswer explain_answer(const ExplainQuestion& question, Loaded loaded);
[[nodiscard]] ExplainReport report_of(const ExplainAnswer& answer);
[[nodiscard]] ExplainPicture picture_of(const ExplainAnswer& answer);

struct TimelineQuestion {
  std::optional<DeviceId> device = {};
  std::optional<std::uint64_t> from = {}; ///< after this event; nothing: before the first
  std::optional<std::uint64_t> to = {};   ///< with this event; nothing: the last
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

/// A snapshot that is written anew: of one device or all, up to a moment.
struct SnapshotQuestion {
  Scope scope = {};
  std::optional<std::uint64_t> from = {}; ///< begin with this event; nothing: the first
  std::optional<std::uint64_t> to = {};   ///< end with this event, instead of the moment of the scope
};
[[nodiscard]] Wants wants_of(const SnapshotQuestion& question);
/// Throws UsageError where no device has the event that it begins with, or where that is after its end.
[[nodiscard]] SnapshotPart part_of(const SnapshotQuestion& question, const Loaded& loaded);

struct TraceEnds {
  std::optional<MomentChoice> from = {};
  std::optional<MomentChoice> to = {};
};
struct TraceQuestion {
  TraceEnds ends = {};
  TraceOptions log = {}; ///< with its filter, and without the range that follows from the ends
};
/// The result of a first pass over the events: names, annotations and the peak are known at its end only, and to
/// keep millions of events in between would take more time and memory.
struct TraceAnswer {
  TraceQuestion question;
  TraceSurvey survey;
  Loaded loaded;
};
[[nodiscard]] TraceAnswer trace_answer(const TraceQuestion& question, Session& session);
/// Writes the log in a second pass, with head and tail where it is one document; returns the number of events in it.
/// A device without an out-of-memory error has nothing from there on, and all up to there. Throws UsageError for a
/// moment that the file does not have, and for ends of which the first comes after the last on all devices.
std::uint64_t write_trace(const TraceAnswer& answer, Session& session, const TextSink& write);

} // namespace memviz
