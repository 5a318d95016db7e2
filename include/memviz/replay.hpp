#pragma once

// Events -> what lived when. The trace of one device is replayed from the oldest event to the newest, from a
// baseline that is inferred: what was freed without a recorded alloc, and what is active at the end without one.
// The state at an earlier moment is rebuilt backward from the file's segments and blocks, which are exact; so only what
// happened after that moment has to be remembered.

#include "memviz/life_observer.hpp"
#include "memviz/memory_state.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace memviz {

/// Replays events as they come; memory proportional to the allocations alive at once. state_of() throws Error
/// where the sizes of a device add up to more than kMaxTotalBytes.
class Accounts final : public EventSink {
public:
  /// Remembers on the way what the state at `choice` depends on: of each device the allocations that were alive then
  /// and have been freed since, and the segment events since.
  /// `observer` gets each life; null: none does.
  explicit Accounts(MomentChoice choice = {}, LifeObserver* observer = nullptr);
  ~Accounts() override;
  Accounts(const Accounts&) = delete;
  Accounts& operator=(const Accounts&) = delete;

  void begin(const FrameTable& frames) override;
  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  /// The state of the recording whose events these were at the moment chosen; its `traces` are not looked at. It
  /// conserves bytes as the file does: the blocks of a segment add up to it. Sizes of blocks that are gone at the end
  /// follow from their requested size (PyTorch's rounding and splitting). Allocations that fit into no segment are in
  /// DeviceState::outside; segment events that do not fit are left out, and DeviceState::misfits counts them.
  [[nodiscard]] MemoryState state_of(std::shared_ptr<const Recording> recording) const;
  [[nodiscard]] MemoryState state_of(Recording recording) const;

private:
  struct DeviceAccounts;
  /// Null for a device without events.
  [[nodiscard]] const DeviceAccounts* accounts_of(DeviceId device) const;
  [[nodiscard]] MemoryState state_at_end(std::shared_ptr<const Recording> recording) const;
  [[nodiscard]] MemoryState rewound(const MemoryState& at_end) const;

  MomentChoice choice_;
  LifeObserver* observer_;
  ByDevice<std::unique_ptr<DeviceAccounts>> devices_; ///< those with events
  std::string failure_;                               ///< what is wrong with the events; "" for nothing
};

/// The same for a recording that holds its events.
[[nodiscard]] MemoryState replay(std::shared_ptr<const Recording> recording);
[[nodiscard]] MemoryState rewind(std::shared_ptr<const Recording> recording, const MomentChoice& choice,
                                 LifeObserver* observer = nullptr);
/// Before the first of its events.
[[nodiscard]] MemoryState before_first_event(std::shared_ptr<const Recording> recording);
/// For a recording that no one else needs.
[[nodiscard]] MemoryState replay(Recording recording);
[[nodiscard]] MemoryState rewind(Recording recording, const MomentChoice& choice);

} // namespace memviz
