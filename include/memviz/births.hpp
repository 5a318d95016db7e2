#pragma once

// Blocks of a state -> how each came to be: when it was allocated, how often its address was used before, and what the
// program said of it. A replay keeps only which event that was, so that it needs little memory; this looks at the
// events once more, for a picture that tells of every block.

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
  /// `state` must outlive this object.
  explicit BirthFinder(const MemoryState& state);
  ~BirthFinder() override;
  BirthFinder(const BirthFinder&) = delete;
  BirthFinder& operator=(const BirthFinder&) = delete;

  void take(DeviceId device, std::span<const Event> events) override;
  void restart() override;
  /// By block index. A block without a recorded alloc is the first use of its address. Throws Error where a text is
  /// none of the recording: the events were others than those that it was made of.
  [[nodiscard]] const std::vector<BlockBirth>& births() const;
  /// Makes them facts of `state`, which is the same one. Throws the same.
  void add_to(MemoryState& state) const;

private:
  struct OfDevice;
  void take(OfDevice& of_device, std::uint64_t index, const Event& event, std::uint64_t block);

  const MemoryState& state_;
  ByDevice<std::unique_ptr<OfDevice>> devices_; ///< those with a block that has a recorded alloc
  std::vector<BlockBirth> births_;
  std::vector<bool> is_alive_; ///< by block index: whether the events are within its life
};

} // namespace memviz
