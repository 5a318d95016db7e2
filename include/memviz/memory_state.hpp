#pragma once

// The memory of a recording at a moment: what the end of the file is, and what rewinding to an earlier moment makes of
// it. A recording may have several.

#include "memviz/device_stats.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/recording.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace memviz {

/// Memory that lived at a moment by the events, and for which no segment of that moment has room.
struct OutsideMemory {
  DeviceId device;
  std::uint64_t requested_bytes = 0;
  /// 0: a part of an allocation whose beginning has a block; or bytes that are only counted.
  std::uint64_t allocations = 1;
  StackId stack = kNoFrames;
  EventIndex alloc_event = {};
  bool is_only_counted = false; ///< what baseline + allocs - frees has beyond all allocations that can be named
};

/// What the events tell of a block of a state.
struct BlockHistory {
  /// The alloc; none for a block that is free or that no recorded alloc explains.
  EventIndex alloc_event = {};
  /// The free_completed after the moment; none for what is still there at the end.
  EventIndex free_event = {};
  /// Whether it is still there at the end of the recording.
  bool is_kept = true;

  [[nodiscard]] bool is_explained() const { return !alloc_event.is_none(); }
};

/// What does not add up at the moment of a device, beside DeviceStats::outside_bytes: nothing at the end of the
/// recording, where the file's own blocks are what is alive.
struct Misfits {
  std::uint64_t segment_events = 0; ///< that contradict the segments of the file and were left out
  std::uint64_t segment_bytes = 0;  ///< of these
  std::uint64_t unsummed_bytes = 0; ///< that the blocks request beyond baseline + allocs - frees
  /// Allocations that were never freed, yet their addresses were given out again.
  std::uint64_t overwritten_allocations = 0;
};

/// The memory of all devices, each at its moment, with the recording that it is a state of.
struct MemoryState : MemoryMap {
  std::shared_ptr<const Recording> recording;
  std::vector<DeviceStats> devices;    ///< of Recording::devices(), ascending
  std::vector<BlockHistory> histories; ///< by block index
  std::vector<KindOf> kinds;           ///< by block index; empty where nobody asked for them
  std::vector<OutsideMemory> outside;  ///< by device
  std::vector<EventsAround> around;    ///< of the same devices
  std::vector<Misfits> misfits;        ///< of the same devices

  [[nodiscard]] const FrameTable& frames() const { return recording->frames; }
  /// The figures of `device`, or of each.
  [[nodiscard]] std::vector<DeviceStats> stats_of(std::optional<DeviceId> device) const;
  /// Forgets the figures of all devices but one; its segments and blocks stay among the others.
  void keep_figures_of(DeviceId device);
  /// Null for a device that is not in the recording.
  [[nodiscard]] const DeviceStats* stats_at(DeviceId device) const;
};

} // namespace memviz
