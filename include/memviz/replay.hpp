#pragma once

// Events -> which allocations were live when. The trace of one device is replayed from the oldest event to the newest.
// It starts from an inferred baseline: allocations that were freed without a recorded alloc, and those active at the
// end without one. The state at an earlier moment is rebuilt backward from the file's segments and blocks, which are
// exact, so only the events after that moment have to be remembered.

#include "memviz/life_observer.hpp"
#include "memviz/memory_state.hpp"

#include <memory>
#include <string>
#include <utility>

namespace memviz {

/// Replays events as they arrive; memory is proportional to the allocations alive at once. state_of() throws Error if
/// the sizes of a device add up to more than kMaxTotalBytes.
class Accounts final : public EventSink {
public:
  /// Collects what the state at `choice` depends on: for each device, the allocations that were alive then and have
  /// been freed since, and the segment events since. `observer`, unless null, receives each life.
  explicit Accounts(MomentChoice choice = {}, LifeObserver* observer = nullptr);
  ~Accounts() override;
  Accounts(const Accounts&) = delete;
  Accounts& operator=(const Accounts&) = delete;

  void begin(const FrameTable& frames) override;
  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  /// Returns the state at the chosen moment of the recording whose events were replayed; does not use its `traces`. The
  /// state conserves bytes as the file does: the blocks of a segment add up to it. Sizes of blocks that are gone at the
  /// end are computed from their requested size (PyTorch's rounding and splitting). Allocations that fit into no
  /// segment are in DeviceState::outside; segment events that do not fit are ignored, and counted in
  /// DeviceState::misfits.
  [[nodiscard]] MemoryState state_of(std::shared_ptr<const Recording> recording) const;
  [[nodiscard]] MemoryState state_of(Recording recording) const;
  /// Returns the state at the end, and the one at the chosen moment.
  [[nodiscard]] std::pair<MemoryState, MemoryState> end_and_state_of(std::shared_ptr<const Recording> recording) const;

private:
  struct DeviceAccounts;
  /// Returns the accounts of a device; null for one without events.
  [[nodiscard]] const DeviceAccounts* accounts_of(DeviceId device) const;
  [[nodiscard]] MemoryState state_at_end(std::shared_ptr<const Recording> recording) const;
  [[nodiscard]] MemoryState rewound(const MemoryState& at_end) const;

  MomentChoice choice_;
  LifeObserver* observer_;
  ByDevice<std::unique_ptr<DeviceAccounts>> devices_; ///< those with events
  std::string failure_;                               ///< what is wrong with the events; "" for nothing
};

/// Replays a recording that holds its events.
[[nodiscard]] MemoryState replay(std::shared_ptr<const Recording> recording);
[[nodiscard]] MemoryState rewind(std::shared_ptr<const Recording> recording, const MomentChoice& choice,
                                 LifeObserver* observer = nullptr);
/// Returns the state before the first event.
[[nodiscard]] MemoryState before_first_event(std::shared_ptr<const Recording> recording);
/// Returns the same for a recording that is no longer needed.
[[nodiscard]] MemoryState replay(Recording recording);
[[nodiscard]] MemoryState rewind(Recording recording, const MomentChoice& choice);

} // namespace memviz
