#pragma once

// Recordings of one commit -> a small file to compare later recordings with: the peak and the end of each device, by
// line and kind, as the range that the recordings span. Also converts it back into a state for compare_snapshots().
// baseline_json.hpp defines the file.

#include "memviz/compare.hpp"
#include "memviz/device_kind.hpp"
#include "memviz/source_line.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace memviz {

/// The smallest and the largest value of a figure among the recordings.
struct ByteRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// A line of the user's own code, or the reason why there is none, and a kind of memory.
struct BaselineLine {
  std::string function = {};
  std::string file = {};
  std::int64_t line = kUnknownLine;
  std::string no_stack = {}; ///< pseudo_label(); "" for a line
  MemoryKind kind = MemoryKind::unknown;
  friend auto operator<=>(const BaselineLine&, const BaselineLine&) = default;
};

struct BaselineShare {
  ByteRange bytes;
  std::uint64_t blocks = 0;     ///< of the recording that holds most
  std::uint64_t recordings = 0; ///< the number of recordings that hold any
};

/// A device at its peak or at its end.
struct BaselineMoment {
  std::int64_t event = -1;
  MemoryTotals totals; ///< of the recording that requests most
  std::map<BaselineLine, BaselineShare> lines;
  ByteRange rest; ///< all lines that the file omits
};

struct BaselineDevice {
  DeviceKind device_kind = DeviceKind::cuda;
  EventCounts counts; ///< of the first recording
  ByteRange peak_requested;
  ByteRange end_requested;
  ByteRange end_reserved;
  std::array<BaselineMoment, 2> moments; ///< at the peak and at the end
  std::uint64_t recordings = 0;          ///< the recordings that use it
};

struct Baseline {
  std::vector<std::string> recordings; ///< the recordings' file names
  std::vector<std::pair<std::string, std::string>> settings;
  std::string generation;
  std::string rehearsed_gpu; ///< the made-up GPU of a rehearsal; "" for a real one
  std::map<DeviceId, BaselineDevice> devices;
  std::uint64_t most_of_left_out_bytes = 0; ///< upper bound for lines omitted from the file; 0: it has all lines
};

/// Adds a recording, given as its states at the peak and at the end, both with kinds.
void add_recording(Baseline& baseline, const std::string& name, const MemoryState& at_peak, const MemoryState& at_end);

/// Returns the state at the peak or at the end, with the highest, or the lowest, value of each figure among the
/// recordings.
[[nodiscard]] MemoryState state_of(const Baseline& baseline, MomentKind moment, std::uint64_t ByteRange::*side);
/// Whether the peak is known.
[[nodiscard]] bool has_events(const Baseline& baseline);
/// "a.pickle", "3 recordings, a.pickle to c.pickle"
[[nodiscard]] std::string name_of(const Baseline& baseline);

/// Removes from a comparison of two baselines what they do not record: segments, and lines that one of the files may
/// have omitted, which are counted as the rest.
void fold_left_out(Comparison& comparison, const Baseline& before, const Baseline& after);

} // namespace memviz
