#pragma once

// Who wants to know of each allocation when it begins and ends, while a file is read: a replay (Accounts) tells it, so
// that nobody else has to remember what is alive.

#include "memviz/device_id.hpp"
#include "memviz/event_index.hpp"
#include "memviz/events.hpp"
#include "memviz/frames.hpp"

#include <cstdint>

namespace memviz {

/// A recorded alloc.
struct Began {
  EventIndex event;
  StackId stack = kNoFrames;
};

class LifeObserver {
public:
  virtual ~LifeObserver() = default;
  /// The first event comes next, and whatever was told before is void. `frames` has all stacks of what is told, and is
  /// there until the last event has come.
  virtual void begin(const FrameTable& frames) = 0;
  /// `event` is the alloc that began it.
  virtual void allocated(DeviceId device, const Began& began, const Event& event) = 0;
  /// The next event frees what `began`, `size_bytes`; what has no recorded alloc is not told.
  virtual void freed(DeviceId device, const Began& began, std::uint64_t size_bytes) = 0;
  /// The program says `text` of an allocation that lives.
  virtual void annotated(DeviceId device, StringId text) = 0;
};

} // namespace memviz
