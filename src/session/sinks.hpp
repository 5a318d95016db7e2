#pragma once

// Sinks that receive events without keeping them: one that drops all, and one that passes them to several others.

#include "memviz/events.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

/// A sink that drops events: to read the rest of the snapshot, or to check that the events can be read.
class NoEvents final : public EventSink {
public:
  void take(DeviceId /*device*/, std::span<const Event> /*events*/) override {}
  void restart() override {}
};

/// Passes them to each; keeps references to all.
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
