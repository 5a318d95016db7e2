#pragma once

// Events -> when each segment was taken from its device, to recognise it in another recording of the same process.

#include "memviz/device_id.hpp"
#include "memviz/events.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace memviz {

/// Receives the events of a recording while it is read; memory is proportional to its segments.
class SegmentTimes final : public EventSink {
public:
  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override { times_us_.clear(); }

  /// Returns when the last segment at an address was allocated; nullopt if no event shows it.
  [[nodiscard]] std::optional<std::int64_t> time_us(DeviceId device, std::uint64_t address) const;

private:
  std::map<std::pair<DeviceId, std::uint64_t>, std::int64_t> times_us_;
};

} // namespace memviz
