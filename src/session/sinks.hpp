#pragma once

// Sinks that receive events without keeping them: one that drops all, one that passes them to several others, and
// one that keeps the first time.

#include "memviz/events.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
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

/// Keeps the earliest time of the first event of each device.
class FirstTime final : public EventSink {
public:
  void take(DeviceId device, std::span<const Event> events) override {
    if (events.empty() || !seen_.insert(device).second || !events.front().time_us) return;
    first_us_ = std::min(first_us_.value_or(*events.front().time_us), *events.front().time_us);
  }
  void restart() override {
    seen_.clear();
    first_us_.reset();
  }
  [[nodiscard]] std::optional<std::int64_t> first_us() const noexcept { return first_us_; }

private:
  std::set<DeviceId> seen_;
  std::optional<std::int64_t> first_us_;
};

} // namespace memviz
