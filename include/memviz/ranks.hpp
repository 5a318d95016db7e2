#pragma once

// Snapshots of a job's ranks -> which ranks are similar, and which one holds memory that the others of its
// group do not. Each file is first reduced to a RankPart of a few kilobytes; parts can be written, merged and judged
// later.

#include "memviz/device_id.hpp"
#include "memviz/event_index.hpp"
#include "memviz/line_peaks.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/memory_state.hpp"
#include "memviz/moment.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

/// The requested bytes of a line of code, of one kind.
struct LineMemory {
  std::string line; ///< "" for the lines of a part that have no entry of their own
  MemoryKind kind = MemoryKind::unknown;
  std::uint64_t bytes = 0;
  /// The most that the line held at once, of all kinds; only in its first entry, and absent if it is unknown.
  std::optional<std::uint64_t> peak_bytes = {};
  friend bool operator==(const LineMemory&, const LineMemory&) = default;
};

/// The memory of a process on a GPU other than its main one.
struct ElsewhereMemory {
  DeviceId device = {};
  std::uint64_t peak_bytes = 0; ///< requested
  std::string line = {};        ///< the line that holds most of it at the moment; "" if none has a name
  friend bool operator==(const ElsewhereMemory&, const ElsewhereMemory&) = default;
};

/// The figures of one file: those of the GPU that ran out of memory, else of the one with the highest peak.
/// The most variables that a part names.
inline constexpr std::size_t kMostKeepers = 3;

/// A variable that keeps memory of a rank.
struct KeeperMemory {
  std::string keeper; ///< "`predictions` (list of 27) in validate train.py:12"
  std::uint64_t bytes = 0;
};

struct RankPart {
  std::string file;
  std::string error = {};                  ///< why it was not read; "" for a file that was
  std::optional<std::uint64_t> rank = {};  ///< if the file itself records it
  std::optional<std::uint64_t> ranks = {}; ///< the number of ranks of the job, if the file records it
  DeviceId device = {};
  std::uint64_t other_devices = 0;             ///< other GPUs of the file that hold memory
  std::vector<ElsewhereMemory> elsewhere = {}; ///< what the process holds on them, ascending by GPU
  MomentKind moment = MomentKind::end;         ///< for held_bytes: oom, peak or end
  EventIndex event = {};                       ///< of that moment
  std::uint64_t held_bytes = 0;                ///< requested, at that moment
  std::string asked_by = {};     ///< the line that asked for more than there was; "" without such an error
  std::uint64_t asked_bytes = 0; ///< of an out-of-memory error
  std::uint64_t peak_bytes = 0;  ///< requested
  EventIndex peak_event = {};
  std::uint64_t end_bytes = 0;      ///< requested, after the last event
  std::uint64_t reserved_bytes = 0; ///< at the end
  std::optional<std::uint64_t> capacity_bytes = {};
  std::optional<std::int64_t> last_time_us = {}; ///< of the last event
  bool is_balanced = true;
  bool may_have_lost_events = false;
  std::vector<LineMemory> held = {}; ///< held_bytes by line and kind, largest first
  /// The largest lines that held something at other moments only, with the most that they held at once. Their kind is
  /// unknown unless their stack allocates communication buffers.
  std::vector<LineMemory> not_held = {};
  /// The largest inner lines of the largest line, if that holds more than half; their kinds are not determined.
  std::vector<LineMemory> within = {};
  std::vector<KeeperMemory> keepers = {}; ///< the largest variables, if keepers were read at that moment
};

/// The bytes of text in RankPart::held that keep a part below 8 KB.
inline constexpr std::size_t kPartTextBytes = 5000;
/// Returns the figures of a state at its automatic moment, with kinds, and with the largest lines whose texts fit in
/// this many bytes. `peaks` has taken the events of the file.
[[nodiscard]] RankPart part_of(const std::string& file, const MemoryState& state, const LinePeaks& peaks,
                               std::size_t most_text_bytes = kPartTextBytes);
/// Returns a part for a file that could not be read.
[[nodiscard]] RankPart unread_part(const std::string& file, std::string_view reason);

/// Returns the kind that holds most of a part, and its bytes; unknown memory comes last.
[[nodiscard]] std::pair<MemoryKind, std::uint64_t> largest_kind_of(const RankPart& part);

enum class RankSource : std::uint8_t {
  none,        ///< no rank was found
  file,        ///< the file records it
  pattern,     ///< RankOptions::pattern
  name,        ///< a word of its name, such as rank3
  varies,      ///< the number in the names that counts from 0 without gaps
  coordinates, ///< the place among the files' names, of which no number alone distinguishes all ranks: dp0_tp3
};

struct RankOptions {
  std::string pattern = {};               ///< RE2 with one group, which is the rank; "": names are understood by rules
  std::optional<std::uint64_t> step = {}; ///< only files whose names have this step
};

/// One rank, or a file without one.
struct JobRank {
  std::size_t part = 0; ///< the file that represents it: one that ran out of memory, else the latest
  std::optional<std::uint64_t> rank = {};
  RankSource source = RankSource::none;
  std::vector<std::size_t> other_parts = {}; ///< further files of the rank
  /// For a rank that ran out of memory, the group with the most similar parameters and optimizer state; nullopt if
  /// there is no group.
  std::optional<std::size_t> group = {};
};

/// The medians of similar ranks.
struct RankGroup {
  std::vector<std::size_t> ranks; ///< indices of JobReport::ranks, ascending
  std::uint64_t least_bytes = 0;
  std::uint64_t median_bytes = 0;
  std::uint64_t most_bytes = 0;
  std::vector<LineMemory> medians = {}; ///< by line and kind, largest first
};

/// A line of a rank, compared with the median of its group.
struct LineDifference {
  std::string line;
  MemoryKind kind = MemoryKind::unknown; ///< the kind that differs most
  std::int64_t delta_bytes = 0;
};

/// A rank, compared with the median of its group, each line at its own peak.
struct RankDifference {
  std::size_t rank = 0;                   ///< an index of JobReport::ranks
  std::int64_t delta_bytes = 0;           ///< the sum of `lines`
  std::vector<LineDifference> lines = {}; ///< largest first
  /// The factor by which all its activations differ, if one factor explains `lines`: batches or sequences of another
  /// length.
  std::optional<double> activation_factor = {};
};

/// The memory of a rank on the GPU of another rank.
struct ElsewhereRank {
  std::size_t rank = 0;  ///< an index of JobReport::ranks
  std::size_t owner = 0; ///< the same, of the rank whose main GPU it is
  ElsewhereMemory held;
};

struct JobReport {
  std::vector<RankPart> parts;                                  ///< by file name
  std::vector<JobRank> ranks;                                   ///< ascending; those without a rank last
  std::vector<std::size_t> unread;                              ///< parts with an error
  std::vector<std::size_t> left_out;                            ///< parts of a step other than the requested one
  std::vector<std::pair<std::uint64_t, std::uint64_t>> missing; ///< first and last rank of each gap
  std::vector<RankGroup> groups;                                ///< largest first
  std::vector<RankDifference> failed;                           ///< ranks that ran out of memory
  std::vector<RankDifference> outliers;                         ///< largest difference first
  /// The second rank of two, compared with the first, if they differ: of two, neither can stand out.
  std::optional<RankDifference> second;
  /// Memory on a GPU that is the main one of another rank, whose process holds memory on no other; largest first.
  std::vector<ElsewhereRank> on_other_gpus;
  /// Files whose lines are compared by function, because some ranks ran another version of them.
  std::vector<std::string> moved_files;
  /// Ranks whose communication buffers alone differ. Threads decide when those are freed, so identical ranks can
  /// differ.
  std::vector<RankDifference> by_timing;
};

/// Judges parts; the order of the parts does not matter. Throws UsageError for a pattern that is not a regular
/// expression with one group.
[[nodiscard]] JobReport job_report(std::vector<RankPart> parts, const RankOptions& options = {});

} // namespace memviz
