#pragma once

// Blocks of a state -> how each came to be: when it was allocated, and how often its address was used before. A replay
// keeps only which event that was, so that it needs little memory; this looks at the events once more, for a picture
// that tells of every block.

#include "memviz/recording.hpp"
#include "memviz/replay.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace memviz {

struct BlockBirth {
  std::uint64_t earlier_uses = 0;      ///< of its address, in the recording: the number in "b7f064c000000_0"
  std::optional<std::int64_t> time_us; ///< of the event that allocated it; absent where it is not recorded or has none
};

/// Takes all events of the file whose state this is. Memory proportional to the blocks of that state.
class BirthFinder final : public EventSink {
public:
  /// `snapshot` has the blocks that `replay` tells the events of; both must outlive this object.
  BirthFinder(const MemoryState& state);
  ~BirthFinder() override;
  BirthFinder(const BirthFinder&) = delete;
  BirthFinder& operator=(const BirthFinder&) = delete;

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  /// By block index. A block without a recorded alloc is the first use of its address.
  [[nodiscard]] const std::vector<BlockBirth>& births() const { return births_; }

private:
  struct OfDevice;
  const MemoryState& state_;
  ByDevice<std::unique_ptr<OfDevice>> devices_; ///< those with a block that has a recorded alloc
  std::vector<BlockBirth> births_;
};

} // namespace memviz
