#pragma once

// Events in order -> the accounts of a device.

#include "analysis/replay/moment_log.hpp"
#include "base/number_map.hpp"
#include "memviz/lost_history.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <optional>

namespace memviz {

/// The blocks in use at the end that no recorded alloc explains.
struct Unexplained {
  std::uint64_t blocks = 0;
  std::uint64_t bytes = 0; ///< requested
  std::uint64_t with_stack = 0;
  std::uint64_t with_stack_bytes = 0;
};

/// Live bytes over the events of one device, relative to the baseline, which is known only after the last event.
struct Accounts::DeviceAccounts {
  explicit DeviceAccounts(const MomentChoice& choice, DeviceId its_device, LifeObserver* its_observer = nullptr)
      : device(its_device), observer(its_observer), log(choice, its_device) {}

  DeviceId device;
  LifeObserver* observer; ///< may be null
  EventCounts counts;
  NumberMap live; ///< address -> Birth, of recorded allocs
  MomentLog log;
  std::int64_t live_bytes = 0;
  std::int64_t peak_bytes = 0;
  EventIndex peak_event;
  EventIndex last_oom_event;
  std::uint64_t allocs_before_oom = 0; ///< before that event
  std::uint64_t trailing_snapshots = 0;
  std::optional<std::int64_t> last_event_time_us;

  void replay(const Event& event);
  /// Returns the figures, given the blocks of the end, whose totals are `at_end`.
  [[nodiscard]] DeviceFigures settled(const MemoryTotals& at_end, const Unexplained& unexplained, RingState ring) const;
  [[nodiscard]] Moment moment(const MomentChoice& choice) const;
};

} // namespace memviz
