#pragma once

// What is known of a device while its events come.

#include "analysis/replay/moment_log.hpp"
#include "base/number_map.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

/// Live bytes over the events of one device, relative to the baseline, which is known only when the last event is.
struct Accounts::DeviceAccounts {
  explicit DeviceAccounts(const MomentChoice& choice, DeviceId device) : log(choice, device) { stats.device = device; }

  DeviceStats stats;
  NumberMap live; ///< address -> Birth, of recorded allocs
  MomentLog log;
  std::int64_t live_bytes = 0;
  std::int64_t peak_bytes = 0;
  EventIndex peak_event;
  std::optional<std::int64_t> last_event_time_us;

  void replay(const Event& event);
  [[nodiscard]] DeviceStats settled(const DeviceStats& at_end, std::uint64_t unexplained_bytes) const;
  [[nodiscard]] Moment moment(const MomentChoice& choice) const;
};

/// Hands over the events that the snapshot holds.
void take_events(const Recording& recording, EventSink& sink);

} // namespace memviz
