#pragma once

// The bytes of a snapshot -> everything that a page queries about it: decoded once, and kept with its events.

#include "engine/search.hpp"
#include "engine/walk.hpp"

#include "memviz/input.hpp"
#include "memviz/keeper_table.hpp"
#include "memviz/ranks.hpp"
#include "memviz/segment_times.hpp"
#include "memviz/session.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memviz::view {

/// The result of a search on a device, see found.hpp.
struct Found {
  std::vector<bool> lives;           ///< by index in Scrub
  std::vector<std::uint32_t> states; ///< the moments to go to: after each event with it, and at each span; ascending
  std::vector<Step> bytes;           ///< of the found allocations; the first is state 0's
  std::uint32_t count = 0;           ///< of found allocations
  [[nodiscard]] bool has(std::uint32_t index) const { return index < lives.size() && lives[index]; }
};

class PageFile {
public:
  /// Reads a snapshot or the columns of one, plain, gzip or zstd; of several in the file the one named `rank`, "[0]"
  /// or "['rank3']". Throws Error for anything else.
  PageFile(std::string name, Input bytes, const std::string& rank = "");

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const Recording& recording() const { return *recording_; }
  /// Returns the state at the end, with kinds.
  [[nodiscard]] const MemoryState& end() const { return end_.state; }
  [[nodiscard]] const std::vector<DeviceRecord>& timeline() const { return end_.timeline; }
  /// Returns when the segments of the end were allocated.
  [[nodiscard]] const SegmentTimes& segment_times() const { return segment_times_; }
  /// Returns the memory at the peak of each device, at the end of those without events; with kinds.
  [[nodiscard]] MemoryState at_peaks();
  /// Returns the walk of a device, the first by default. Throws UsageError for a device that it does not have.
  [[nodiscard]] Walk& walk(std::optional<DeviceId> device);
  [[nodiscard]] const LifeLines& lines() const { return *lines_; }
  /// Returns the keepers at the end; null if the recording has none.
  [[nodiscard]] const EndKeepers* keepers() const { return keepers_ ? &*keepers_ : nullptr; }
  /// Returns the memory at a moment named as for --at, with births and kinds; "start" is before the first event. An
  /// event's index refers to `device`. The last two are cached. Throws UsageError if the file does not have the moment.
  [[nodiscard]] std::shared_ptr<const MemoryState> state_at(const std::string& moment, std::optional<DeviceId> device);

  Search search;                   ///< the last one
  std::map<DeviceId, Found> found; ///< by that search
  Cells shown_cells;               ///< the last one drawn
  /// Returns the events that match the last filter.
  struct Filtered {
    std::string filter;
    DeviceId device;
    std::vector<std::uint32_t> events;
  };
  std::optional<Filtered> filtered;

private:
  std::string name_;
  Session session_;
  std::shared_ptr<const Recording> recording_;
  SegmentTimes segment_times_;
  Opened end_;
  std::unique_ptr<LifeLines> lines_;
  std::optional<EndKeepers> keepers_;
  std::map<DeviceId, Walk> walks_;
  struct Known {
    std::string moment;
    std::shared_ptr<const MemoryState> state;
  };
  std::vector<Known> states_; ///< the last one first
};

/// Returns the parts of the ranks in such a file; one with the reason if it cannot be read.
[[nodiscard]] std::vector<RankPart> parts_of_file(const std::string& name, Input bytes);

} // namespace memviz::view
