#pragma once

// The memory of a recording at a moment: what the end of the file is, and what rewinding to an earlier moment makes of
// it. A recording may have several.

#include "memviz/device_stats.hpp"
#include "memviz/recording.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace memviz {

/// The event that allocated a block is not in the file.
inline constexpr std::uint32_t kNoEvent = 0xFFFFFFFF;

/// Memory that lived at a moment by the events, and for which no segment of that moment has room.
struct OutsideMemory {
  DeviceId device;
  std::uint64_t requested_bytes = 0;
  /// 0: a part of an allocation whose beginning has a block; or bytes that are only counted.
  std::uint64_t allocations = 1;
  StackId stack = kNoFrames;
  std::uint32_t alloc_event = kNoEvent;
  bool is_only_counted = false; ///< what baseline + allocs - frees has beyond all allocations that can be named
};

/// What the events tell of a block of a state.
struct BlockHistory {
  /// The index of the alloc among the events of its device; kNoEvent for a block that is free or that no recorded alloc
  /// explains.
  std::uint32_t alloc_event = kNoEvent;
  /// Whether it is still there at the end of the recording.
  bool is_kept = true;

  [[nodiscard]] bool is_explained() const { return alloc_event != kNoEvent; }
};

/// The memory of all devices, each at its moment, with the recording that it is a state of.
struct MemoryState : MemoryMap {
  std::shared_ptr<const Recording> recording;
  std::vector<DeviceStats> devices;    ///< of Recording::devices(), ascending
  std::vector<BlockHistory> histories; ///< by block index
  std::vector<OutsideMemory> outside;  ///< by device
  std::vector<EventsAround> around;    ///< of the same devices
  std::vector<std::string> warnings;   ///< accounts that do not balance, events that do not fit

  [[nodiscard]] const FrameTable& frames() const { return recording->frames; }
  /// The figures of `device`, or of each.
  [[nodiscard]] std::vector<DeviceStats> stats_of(std::optional<DeviceId> device) const;
  /// Null for a device that is not in the recording.
  [[nodiscard]] const DeviceStats* stats_at(DeviceId device) const;
  /// The reader's, then the replay's.
  [[nodiscard]] std::vector<std::string> all_warnings() const;
};

} // namespace memviz
