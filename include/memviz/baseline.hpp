#pragma once

// Recordings of one commit -> a small file that later ones are compared with: the peak and the end of each device, by
// line and kind, as the range that the recordings span; and back into a state that compare_snapshots() takes.

#include "memviz/compare.hpp"
#include "memviz/source_line.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memviz {

/// The least and the most of a figure among the recordings.
struct ByteRange {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// A line of the user's own code, or the label of the reason why there is none, and a kind of memory.
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
  std::uint64_t recordings = 0; ///< in which it holds anything
};

/// A device at its peak or its end.
struct BaselineMoment {
  std::int64_t event = -1;
  MemoryTotals totals; ///< of the recording that requests most
  std::map<BaselineLine, BaselineShare> lines;
  ByteRange rest; ///< all lines that the file leaves out
};

struct BaselineDevice {
  bool is_cpu = false;
  EventCounts counts; ///< of the first recording
  ByteRange peak_requested;
  ByteRange end_requested;
  ByteRange end_reserved;
  std::array<BaselineMoment, 2> moments; ///< the peak and the end
  std::uint64_t recordings = 0;          ///< that use it
};

class Baseline {
public:
  /// Adds a recording by its state at the peak and at the end, both with kinds.
  void add(const std::string& name, const MemoryState& at_peak, const MemoryState& at_end);
  /// Reads what json() wrote. Throws Error.
  [[nodiscard]] static Baseline read(std::string_view json);
  /// Whether bytes begin as json() does.
  [[nodiscard]] static bool is_one(std::string_view bytes);

  /// At most 100 KB: the lines that hold least are left out, and counted as the rest.
  [[nodiscard]] std::string json() const;

  /// The state at the peak, or at the end, in which each figure is the highest of the recordings, or the lowest.
  [[nodiscard]] MemoryState state(MomentKind moment, std::uint64_t ByteRange::*side) const;
  /// Whether the peak is known.
  [[nodiscard]] bool has_events() const;
  /// "a.pickle", "3 recordings, a.pickle to c.pickle"
  [[nodiscard]] std::string name() const;
  /// The bytes that no omitted line exceeds, if the file leaves out lines; else 0.
  [[nodiscard]] std::uint64_t most_of_left_out() const;

private:
  [[nodiscard]] std::string json(std::size_t most_lines) const;

  std::vector<std::string> recordings_;
  std::vector<std::pair<std::string, std::string>> settings_;
  std::string generation_;
  std::string rehearsal_;
  std::map<DeviceId, BaselineDevice> devices_;
  std::uint64_t most_of_left_out_ = 0;
};

/// Takes out of a comparison of two baselines what they do not know: segments, and lines that the file of one may have
/// left out, which count as the rest.
void fold_left_out(Comparison& comparison, const Baseline& before, const Baseline& after);

} // namespace memviz
