#pragma once

// The segments of a device and the segment events after a moment -> the segments at that moment.

#include "analysis/replay/moment_log.hpp"
#include "memviz/memory_map.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace memviz {

/// A segment at the moment. Its blocks are not assigned yet.
struct PastSegment {
  Segment segment;
  std::optional<std::size_t> origin; ///< its index in MemoryMap::segments, while no event changed its range
};

class SegmentUndo {
public:
  /// `spare_bytes` is what may be added until all segments of the snapshot have kMaxTotalBytes.
  SegmentUndo(DeviceId device, std::uint64_t& spare_bytes) : device_(device), spare_bytes_(spare_bytes) {}

  void add(const Segment& segment, std::size_t index) {
    segments_.emplace(segment.address, PastSegment{segment, index});
  }
  /// Undoes an event. The newest event must come first.
  void undo(const SegmentEvent& event, const std::vector<PoolId>& pools);

  [[nodiscard]] std::vector<PastSegment> segments() const; ///< by address
  /// Bytes of events that contradict the segments: made by a segment_alloc and absent, or taken by a segment_free and
  /// present.
  [[nodiscard]] std::uint64_t misfit_bytes() const { return misfit_bytes_; }
  [[nodiscard]] std::uint64_t misfits() const { return misfits_; }

private:
  using Map = std::multimap<std::uint64_t, PastSegment>;

  void remove(const SegmentEvent& event);
  void unmap(const SegmentEvent& event);
  void restore(const SegmentEvent& event, const std::vector<PoolId>& pools);
  [[nodiscard]] bool is_outside(std::uint64_t address, std::uint64_t end) const;
  void join_neighbours(Map::iterator restored, bool has_pool);
  void misfit(std::uint64_t bytes);

  DeviceId device_;
  std::uint64_t& spare_bytes_;
  Map segments_;
  std::uint64_t misfits_ = 0;
  std::uint64_t misfit_bytes_ = 0;
};

} // namespace memviz
