#pragma once

// A second pass over the events of a file, for sinks that cannot undo their output. The reader may start again from the
// first event; in the second pass it does so as often as in the first.

#include "memviz/error.hpp"
#include "memviz/events.hpp"

#include <span>

namespace memviz {

/// Counts in a first pass how often the reader starts again.
class RestartCounter : public EventSink {
public:
  void take(DeviceId /*device*/, std::span<const Event> /*events*/) override {}
  void restart() override { ++restarts_; }
  [[nodiscard]] unsigned restarts() const noexcept { return restarts_; }

private:
  unsigned restarts_ = 0;
};

/// Passes the events to another sink once the reader has started for the last time.
class SecondPass final : public EventSink {
public:
  /// `restarts` and `sink` must outlive this object.
  SecondPass(EventSink& events, const RestartCounter& first_pass)
      : events_(events), restarts_left_(first_pass.restarts()) {}

  void take(DeviceId device, std::span<const Event> events) override {
    if (restarts_left_ == 0) events_.take(device, events);
  }
  /// Throws Error if the file changed since the first pass.
  void restart() override {
    if (restarts_left_ == 0) throw Error("the file changed while it was read");
    --restarts_left_;
  }

private:
  EventSink& events_;
  unsigned restarts_left_;
};

} // namespace memviz
