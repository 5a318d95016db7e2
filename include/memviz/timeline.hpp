#pragma once

// Events -> live bytes over the recording: the largest allocations as bands, all others and the baseline in strips, one
// per line of code or per kind of memory. A recording of n events passes through n + 1 states: state 0 is before the
// first event, state e + 1 after event e. All sizes are bytes.

#include "memviz/flame.hpp"
#include "memviz/kind_shares.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/recording.hpp"
#include "memviz/replay.hpp"
#include "memviz/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

/// The end of a life that is never freed.
inline constexpr std::uint32_t kForever = std::numeric_limits<std::uint32_t>::max();

/// One allocation, or one mapped range of a segment: it is live in the states [begin, end).
struct Life {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  StackId stack = kNoFrames;
  std::uint32_t begin = 0; ///< 0: before the first event
  std::uint32_t end = kForever;
  std::uint32_t home = 0; ///< index into DeviceRecord::homes

  [[nodiscard]] bool lives_in(std::uint32_t state) const { return begin <= state && state < end; }
};

/// A text that an `annotate` event, or the metadata of its alloc, attaches to an allocation, which is identified by its
/// beginning and its address.
struct LifeAnnotation {
  std::uint32_t begin = 0; ///< as in Life
  StringId text;
  std::uint64_t address = 0;
};

/// The place where memory was requested.
struct Home {
  std::int64_t stream = 0;
  std::optional<PoolId> pool; ///< if the file shows it
  friend auto operator<=>(const Home&, const Home&) = default;
};

enum class MarkKind : std::uint8_t { oom, state };

struct Mark {
  MarkKind kind = MarkKind::oom;
  std::uint32_t state = 0;      ///< the first state that includes it
  std::uint64_t size_bytes = 0; ///< oom: the rounded request; snapshot: the active bytes
  std::uint64_t free_bytes = 0; ///< oom: free on the device, as CUDA reported
};

/// Bytes from `state` on.
struct Step {
  std::uint32_t state = 0;
  std::uint64_t bytes = 0;
};

/// The kinds of memory of a record's lives, by their index.
struct LifeKinds {
  std::vector<KindOf> lives;
  std::vector<KindOf> freed_baseline;
  std::vector<KindOf> kept_baseline;
};

/// The part of one device's events that a timeline keeps: 8 bytes per event, 32 per allocation, 16 per annotation of
/// one.
struct DeviceRecord {
  DeviceId device;
  std::uint32_t events = 0;
  std::shared_ptr<const std::vector<std::int64_t>> times; ///< see times_us()
  std::vector<Life> lives;                                ///< recorded allocs, in order of `begin`
  std::vector<Life> freed_baseline;       ///< alive before: freed without a recorded alloc; the stack is unknown
  std::vector<Life> kept_baseline;        ///< alive before and until the end: active blocks without a recorded alloc
  std::vector<std::uint32_t> kept_blocks; ///< for kept_baseline: the index in MemoryMap::blocks
  std::optional<LifeKinds> kinds;         ///< if wanted, see kinds.hpp
  std::vector<Life> ranges;               ///< mapped ranges of segments, and until when
  std::vector<Home> homes;
  /// The annotations by life; null: none. See annotations_of().
  std::shared_ptr<const std::vector<LifeAnnotation>> annotations;
  std::vector<Mark> marks;
  /// The difference, alloc minus free, of each free whose size differs from its alloc's, from that state on.
  std::vector<std::pair<std::uint32_t, std::int64_t>> corrections;
  /// Reserved bytes, rebuilt backward from the segments at the end; the first step is state 0's.
  std::vector<Step> reserved;
  /// The state before which the segment events do not add up, or less is reserved than live: `reserved` is wrong there.
  std::uint32_t reserved_known_from = 0;

  [[nodiscard]] std::uint32_t states() const { return events + 1; }
  /// Returns the times by event, ascending, microseconds since 1970; empty if no event has a time.
  [[nodiscard]] const std::vector<std::int64_t>& times_us() const;
  /// Returns the annotations of a life in file order, each text once, and at most BlockBirth::kMostAnnotations.
  [[nodiscard]] std::vector<StringId> annotations_of(const Life& life) const;
};

/// Keeps what timelines are drawn from, while events are read. finish() throws Error where a device has more than 2^32
/// - 2 events, or where the sizes of its segment events add up to more than kMaxTotalBytes.
class TimelineRecorder final : public EventSink {
public:
  TimelineRecorder();
  ~TimelineRecorder() override;
  TimelineRecorder(const TimelineRecorder&) = delete;
  TimelineRecorder& operator=(const TimelineRecorder&) = delete;

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  /// Returns one record for each of Recording::devices(), ascending, for the recording that had these events. Empties
  /// the recorder.
  [[nodiscard]] std::vector<DeviceRecord> finish(const Recording& recording);

private:
  struct Device;
  ByDevice<std::unique_ptr<Device>> devices_; ///< those with events
  std::string failure_;                       ///< what is wrong with the events; "" for nothing
};

/// Returns the records of a recording that holds its events.
[[nodiscard]] std::vector<DeviceRecord> record_timeline(const Recording& recording);

/// Splits a record into one for each stream and pool in which anything was live, each with one home: the one in the
/// event, else that of its segment, if it exists at the end; else the default pool of its stream. Sorted by reserved
/// bytes, largest first; the `most`th and all after it are combined in one record with all their homes. Together they
/// make up the record.
[[nodiscard]] std::vector<DeviceRecord> split_by_home(const MemoryMap& memory, const DeviceRecord& record,
                                                      std::size_t most);

/// The memory that a chart stacks: allocations, or mapped ranges of segments.
enum class TimelineKind : std::uint8_t { allocations, segments };
enum class TimelineAxis : std::uint8_t { event, time };

/// The states [first, last] of a recording.
struct Window {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

/// Returns the place on the axis where a state begins: its event's index (-1 for state 0), or microseconds since the
/// first event.
[[nodiscard]] std::int64_t axis_position(const DeviceRecord& record, TimelineAxis axis, std::uint32_t state);

/// A state that is drawn. It represents those up to the next one.
struct Slice {
  std::uint32_t state = 0;
  std::uint64_t baseline_bytes = 0; ///< alive since before the first event
  std::uint64_t rest_bytes = 0;     ///< alive, but neither a band nor baseline
  std::uint64_t live_bytes = 0;     ///< baseline, bands and rest together
};

/// A life that is drawn: in the slices [first, last).
struct Band {
  Life life;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t earlier_uses = 0; ///< the number of earlier uses of its address in the trace
  KindOf kind = {};               ///< unknown if the record has no kinds
};

struct TimelineOptions {
  TimelineKind kind = TimelineKind::allocations;
  TimelineAxis axis = TimelineAxis::event;
  std::size_t most_bands = 2000;
  std::size_t most_slices = 4500;
  std::uint64_t least_bytes = 0; ///< smaller allocations are not bands
  bool by_kind = false;          ///< stack layers of kinds, if the record has them; not for segments
};

/// A stack of bands over a window. At every slice, baseline_bytes, the live bands and rest_bytes add up to live_bytes,
/// which is exact. The highest state of the window is one of the slices; if not every change is, so are the highest,
/// the lowest and the last state of each small interval.
struct BandChart {
  Window window;
  std::vector<Slice> slices; ///< ascending; the first is window.first
  /// Bands in stacking order: by `begin`, or first by kind in the order of kKindLayers.
  std::vector<Band> bands;
  bool is_by_kind = false;
  std::size_t candidates = 0;     ///< lives that are visible at some slice, drawn or not
  std::uint64_t rest_lives = 0;   ///< recorded lives within the window that are not bands
  std::size_t peak = 0;           ///< index of the first slice with the highest live_bytes
  bool has_negative_rest = false; ///< frees name more bytes than their allocs: rest_bytes is 0 instead of negative
};

/// Builds the chart. Throws no exception; `window` must lie within the record.
[[nodiscard]] BandChart chart_bands(const DeviceRecord& record, Window window, const TimelineOptions& options);

class EndKeepers;

/// Lives -> the line of the user's code that requested them (UserLineFinder), or why it is unknown; with `keepers`, the
/// variable that keeps them, as keeper_key(). All arguments must outlive this object.
class LifeLines {
public:
  LifeLines(const MemoryState& state, const EndKeepers* keepers = nullptr);
  ~LifeLines();
  LifeLines(const LifeLines&) = delete;
  LifeLines& operator=(const LifeLines&) = delete;

  /// Returns a FrameId or a Pseudo; with keepers, a KeeperStep.
  [[nodiscard]] NodeKey line_of(DeviceId device, const Life& life) const;
  /// Returns the inner line of that: UserLineFinder::inner_line_of().
  [[nodiscard]] std::optional<FrameId> inner_line_of(const Life& life) const;

private:
  struct Known;
  std::unique_ptr<Known> known_;
};

/// Returns everything live in `state`, by line (see LifeLines), largest first; for segments, the mapped memory. Each
/// allocation counts as a block.
[[nodiscard]] std::vector<UserLine> holders_at(const FrameTable& frames, const LifeLines& lines,
                                               const DeviceRecord& record, TimelineKind kind, std::uint32_t state);
/// Returns the sum of the kinds of all `holders`.
[[nodiscard]] KindShares held_kinds(const std::vector<UserLine>& holders);

/// The bytes of one line, or of one kind of memory, outside the bands of a chart.
struct Strip {
  NodeKey key = {};                      ///< see LifeLines; RootKey: all other lines; by kind a MemoryKind
  bool is_baseline = false;              ///< alive before the first event: drawn below the bands; else above them
  std::uint64_t lives = 0;               ///< the number of allocations
  std::vector<std::uint64_t> bytes = {}; ///< by slice
};

/// Returns strips. At every slice of `chart` the strips of the baseline add up to its baseline_bytes, and the others to
/// its rest_bytes. Each of the two has at most `most` lines, those that hold most in the window and at its peak,
/// largest first, then one strip for all other lines. In a chart by kind each has one strip per kind, in the order of
/// kKindLayers: for the baseline if it has any, for the others also if there is a band of that kind, and always for
/// unknown. `chart` is one of `record`, with options of `kind`.
[[nodiscard]] std::vector<Strip> chart_strips(const LifeLines& lines, const DeviceRecord& record,
                                              const BandChart& chart, TimelineKind kind, std::size_t most);

/// Returns the total live bytes, from the states at which they change.
[[nodiscard]] std::vector<Step> live_steps(const BandChart& chart);

/// A record_function, from its START to its END.
struct AnnotationSpan {
  StringId name;
  std::uint32_t begin = 0;   ///< first state in it; 0: it has no START
  std::uint32_t end = 0;     ///< first state after it; kForever: it has no END
  std::int64_t begin_us = 0; ///< of the first event of the device or later; it may have started earlier
  std::int64_t end_us = 0;
  std::uint32_t row = 0; ///< spans in one row do not overlap; row 0 is the outermost
};

struct AnnotationLane {
  std::vector<AnnotationSpan> spans; ///< by begin_us
  std::uint32_t rows = 0;
  std::uint64_t left_out = 0; ///< nested deeper than most_rows
};

/// Returns the annotations of the record's device; none if its events have no times.
[[nodiscard]] AnnotationLane annotation_lane(const Recording& recording, const DeviceRecord& record,
                                             std::uint32_t most_rows);

} // namespace memviz
