#pragma once

// Finds the births of the blocks of a state: when each was allocated, how often its address had been used before, and
// which texts the program attached to it. To save memory, a replay keeps only the index of that event; this reads the
// events again, for pictures that show every block.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace memviz {

/// Receives all events of the file that the state belongs to. Memory is proportional to the blocks of that state.
class BirthFinder final : public EventSink {
public:
  /// Adds a birth to each block of `state`, which must outlive this object. A block without a recorded alloc is the
  /// first use of its address.
  explicit BirthFinder(MemoryState& state);
  ~BirthFinder() override;
  BirthFinder(const BirthFinder&) = delete;
  BirthFinder& operator=(const BirthFinder&) = delete;

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  /// Throws Error if a text is not from the recording, because the events are not those it was made from.
  void finish() const;

private:
  struct OfDevice;
  void take(OfDevice& of_device, std::uint64_t index, const Event& event, std::size_t block);

  MemoryState& state_;
  ByDevice<std::unique_ptr<OfDevice>> devices_; ///< those that have a block with a recorded alloc
  std::vector<bool> is_alive_;                  ///< by block index: whether the event is within the block's life
};

} // namespace memviz
