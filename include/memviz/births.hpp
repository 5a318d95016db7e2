#pragma once

// Finds the births of the blocks of a state: when each was allocated, how often its address was used before, and what
// the program said of it. A replay keeps only which event that was, so that it needs little memory; this looks at the
// events once more, for a picture that shows every block.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace memviz {

/// Takes all events of the file whose state this is. Memory proportional to the blocks of that state.
class BirthFinder final : public EventSink {
public:
  /// Gives each block of `state`, which must outlive this object, a birth; one without a recorded alloc is the first
  /// use of its address.
  explicit BirthFinder(MemoryState& state);
  ~BirthFinder() override;
  BirthFinder(const BirthFinder&) = delete;
  BirthFinder& operator=(const BirthFinder&) = delete;

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  /// Throws Error where a text is none of the recording: the events were others than those that it was made of.
  void finish() const;

private:
  struct OfDevice;
  void take(OfDevice& of_device, std::uint64_t index, const Event& event, std::size_t block);

  MemoryState& state_;
  ByDevice<std::unique_ptr<OfDevice>> devices_; ///< those with a block that has a recorded alloc
  std::vector<bool> is_alive_;                  ///< by block index: whether the events are within its life
};

} // namespace memviz
