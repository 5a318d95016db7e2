#pragma once

// What takes events and keeps none of them: nobody, several, or a watch for what is rare.

#include "memviz/events.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace memviz {

/// Nobody: for the rest of the snapshot, or to see that they can be read.
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
