#pragma once

// What commands do with the events of a snapshot while it is read, beside what the library does.

#include "memviz/events.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace memviz::cli {

/// Nothing: for the rest of the snapshot, or to see that they can be read.
class NoEvents final : public EventSink {
public:
  void take(std::uint32_t /*device*/, std::span<const Event> /*events*/) override {}
  void restart() override {}
};

/// Hands them to both; refers to both.
class BothSinks final : public EventSink {
public:
  BothSinks(EventSink& first, EventSink& second) : sinks_{&first, &second} {}

  void take(std::uint32_t device, std::span<const Event> events) override {
    for (EventSink* sink : sinks_)
      sink->take(device, events);
  }
  void restart() override {
    for (EventSink* sink : sinks_)
      sink->restart();
  }

private:
  std::array<EventSink*, 2> sinks_;
};

} // namespace memviz::cli
