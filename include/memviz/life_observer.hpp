#pragma once

// An observer of each allocation's beginning and end while a file is read. A replay (Accounts) calls it, so that no
// other code has to remember what is live.

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
  /// The first event comes next, and whatever was reported before is void. `frames` has all stacks of what is reported,
  /// and is there until the last event has come.
  virtual void begin(const FrameTable& frames) = 0;
  /// `event` is the alloc that began it.
  virtual void allocated(DeviceId device, const Began& began, const Event& event) = 0;
  /// The next event frees what `began`, `size_bytes`; `began.event` is none for what no recorded alloc made.
  virtual void freed(DeviceId device, const Began& began, std::uint64_t size_bytes) = 0;
  /// `event` is an allocation that failed: out of memory.
  virtual void failed(DeviceId device, EventIndex event) = 0;
  /// All events have come; `at_end` has the blocks that are still there, with their histories.
  virtual void ended(const MemoryState& at_end) = 0;
  /// The program says `text` of an allocation that lives.
  virtual void annotated(DeviceId device, StringId text) = 0;
};

} // namespace memviz
