#pragma once

// Sinks that take events and keep none of them: none at all, or several sinks as one.

#include "memviz/events.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

/// A sink that drops events: to read the rest of the snapshot, or to see that the events can be read.
class NoEvents final : public EventSink {
public:
  void take(DeviceId /*device*/, std::span<const Event> /*events*/) override {}
  void restart() override {}
};

/// Hands them to each; refers to all.
class EachSink final : public EventSink {
public:
  explicit EachSink(std::vector<EventSink*> sinks) : sinks_(std::move(sinks)) {}

  void begin(const FrameTable& frames) override {
    for (EventSink* sink : sinks_)
      sink->begin(frames);
  }
  void take(DeviceId device, std::span<const Event> events) override {
    for (EventSink* sink : sinks_)
      sink->take(device, events);
  }
  void restart() override {
    for (EventSink* sink : sinks_)
      sink->restart();
  }

private:
  std::vector<EventSink*> sinks_;
};

} // namespace memviz
