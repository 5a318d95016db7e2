#pragma once

// The events of a file that has no segments -> the segments and blocks at its end, as far as the events show them.

#include "memviz/events.hpp"
#include "memviz/memory_map.hpp"
#include "memviz/recording.hpp"

#include <cstdint>
#include <map>
#include <span>

namespace memviz {

/// Passes events on, and keeps what is allocated after the latest.
class TraceEnd final : public EventSink {
public:
  explicit TraceEnd(EventSink& next) : next_(next) {}

  void begin(const FrameTable& frames) override { next_.begin(frames); }
  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;

  /// Adds the segments to the end of the recording, and a warning that says what they lack. Throws SchemaError if they
  /// are larger than any memory.
  void add_to(Recording& recording) const;

private:
  struct Range {
    std::uint64_t size_bytes = 0;
    bool is_expandable = false;
    Event made_by;
  };
  struct Live {
    Event made_by;
    bool is_pending = false;
  };
  struct Device {
    std::map<std::uint64_t, Range> ranges; ///< of segments, by address; they do not overlap
    std::map<std::uint64_t, Live> live;    ///< by address
  };
  class Builder;

  static void take(Device& device, const Event& event);
  static void remove(Device& device, std::uint64_t begin, std::uint64_t end);

  EventSink& next_;
  std::map<DeviceId, Device> devices_;
};

} // namespace memviz
