#pragma once

// The memory of a recording at a moment: the file's own end, or an earlier moment rebuilt from it. A recording can have
// several states.

#include "memviz/device_state.hpp"
#include "memviz/memory_kind.hpp"
#include "memviz/recording.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace memviz {

/// The events that began and ended a block of a state.
struct BlockHistory {
  /// The alloc; none for a block that is free, or without a recorded alloc.
  EventIndex alloc_event = {};
  /// The free_completed after the moment; none if the block still exists at the end.
  EventIndex free_event = {};
  /// Whether it still exists at the end of the recording.
  bool is_kept = true;

  [[nodiscard]] bool is_explained() const { return !alloc_event.is_none(); }
};

/// The birth of a block: the event that allocated it, and the texts that the program attached to it.
struct BlockBirth {
  std::uint64_t earlier_uses = 0;      ///< of its address, in the recording: the number in "b7f064c000000_0"
  std::optional<std::int64_t> time_us; ///< of the event that allocated it; absent if not recorded
  StringId user_metadata;              ///< of that event
  StringId compile_context;
  StackId forward_stack = kNoFrames; ///< as in Event
  StringId internal_metadata = {};
  /// The texts of the `annotate` events of this allocation, in file order: each once, and at most kMostAnnotations.
  /// Events after the moment count as well, since they describe the same allocation.
  std::vector<StringId> annotations = {};

  static constexpr std::size_t kMostAnnotations = 8;
};

/// The facts about a block besides its place, size and state.
struct BlockFacts {
  BlockHistory history;
  KindOf kind = {};
  std::optional<BlockBirth> birth = {}; ///< absent if births were not requested
};

/// The memory of all devices, each at its own moment, and the recording that it belongs to.
struct MemoryState : MemoryMap {
  std::shared_ptr<const Recording> recording;
  std::vector<DeviceState> devices; ///< one for each of Recording::devices(), ascending
  std::vector<BlockFacts> facts;    ///< by block index
  bool has_kinds = false;           ///< whether BlockFacts::kind is set, and there are blocks

  [[nodiscard]] const FrameTable& frames() const { return recording->frames; }
  /// Returns the states of `device`, or of all; none if the device is not in the recording.
  [[nodiscard]] std::span<const DeviceState> devices_of(std::optional<DeviceId> device) const;
  /// Returns the state of a device; null if it is not in the recording.
  [[nodiscard]] const DeviceState* device_at(DeviceId device) const;
};

} // namespace memviz
