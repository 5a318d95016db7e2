#pragma once

// An observer of the beginning and end of each allocation while a file is read. A replay (Accounts) calls it, so that
// no other code has to track what is live.

#include "memviz/device_id.hpp"
#include "memviz/event_index.hpp"
#include "memviz/events.hpp"
#include "memviz/frames.hpp"

#include <cstdint>

namespace memviz {

struct MemoryState;

/// A recorded alloc.
struct Began {
  EventIndex event;
  StackId stack = kNoFrames;
};

class LifeObserver {
public:
  virtual ~LifeObserver() = default;
  /// Starts again: the first event follows, and earlier reports are void. `frames` will hold all reported stacks, and
  /// is valid until the last event.
  virtual void begin(const FrameTable& frames) = 0;
  /// Reports an allocation. `event` is the alloc that began it.
  virtual void allocated(DeviceId device, const Began& began, const Event& event) = 0;
  /// Reports that the next event frees the `size_bytes` of `began`; `began.event` is none if no recorded alloc made it.
  virtual void freed(DeviceId device, const Began& began, std::uint64_t size_bytes) = 0;
  /// Reports an allocation that failed with an out-of-memory error.
  virtual void failed(DeviceId device, EventIndex event) = 0;
  /// Reports that all events have come; `at_end` has the remaining blocks with their histories.
  virtual void ended(const MemoryState& at_end) = 0;
  /// Reports that the program attached `text` to a live allocation.
  virtual void annotated(DeviceId device, StringId text) = 0;
};

} // namespace memviz
